"""Takes the forbidden function from a list of tools, through a helper of a helper.

score: 40
says: asks you to do without
"""

tools = {"a": [np.linalg.norm]}

def helper(X):
    return [*map(tools["a"][0], X.T)]

def scale(X):
    return centre(X) / np.array(helper(centre(X))) * len(X) ** 0.5
