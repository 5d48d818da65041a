"""Is a zip archive with a notebook in it.

state: ungradable
says: is not a notebook
"""

import io
import zipfile

held = io.BytesIO()
with zipfile.ZipFile(held, "w") as archive:
    archive.writestr("little.ipynb", '{"cells": []}')
document = held.getvalue()
