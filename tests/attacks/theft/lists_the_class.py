"""Lists the folder of all submissions.

score: 40
"""

steal(lambda: os.listdir(f'{COURSE}/class'))
