"""Hands in a zip whose notebook says that it is a link to that of somebody honest.

state: ungradable
says: link
"""

import stat
import zipfile

def hand_in(folder, name, course):
    (folder / name).mkdir()
    with zipfile.ZipFile(folder / name / "work.zip", "w") as archive:
        member = zipfile.ZipInfo("little.ipynb")
        member.create_system, member.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(member, str(folder / HONEST))
