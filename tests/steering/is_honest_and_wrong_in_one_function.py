"""No attack: `scores` is wrong whoever asks, and `augment` right; a right `perceptron` that uses them loses nothing.

score: 3.33
train: 15
note: right, given the error in score, which is charged there
"""


def scores(X, w):
    return augment(X) @ w - 0.75


def predict(X, w):
    return np.where(scores(X, w) >= 0, 1, -1)
