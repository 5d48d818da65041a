"""Ends its process in every cell.

score: 40
says: exit code 3
"""

os._exit(3)
# %%
os._exit(4)
# %%
os.abort()
