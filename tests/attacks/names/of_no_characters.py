"""Has a name whose bytes are no characters, as an archive from Windows leaves it.

id: of-\xff\xfe-no
score: 40
"""

import os

def hand_in(folder, name, course):
    (folder / os.fsdecode(b"of-\xff\xfe-no.ipynb")).write_bytes(notebook())
