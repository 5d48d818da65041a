"""Makes folders thousands deep, and closes them.

score: 40
"""

for _ in range(2000):
    os.mkdir("d")
    os.chdir("d")
os.chmod(".", 0)
