"""Trees within trees: what lies below one folder of a tree, and an archive that lies in one, opened when it is asked for."""

from __future__ import annotations

from redink.errors import SubmissionError, in_one_sentence
from redink.grader.intake.archive import Archive
from redink.grader.intake.opening import open_bytes
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, Tree
from redink.grader.intake.unpacking import UNLIMITED, UnpackingLimit
from redink.texts import clean


class Below:
    """What lies below a folder of a tree, as a `Tree`."""

    def __init__(self, tree: Tree, top: Place) -> None:
        self._tree = tree
        self._top = top

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """List what lies directly in a folder."""
        return self._tree.entries((*self._top, *folder), most)

    def read(self, file: Place) -> bytes:
        """Read a file."""
        return self._tree.read((*self._top, *file))

    def position(self, file: Place) -> int:
        """Tell where a file stands."""
        return self._tree.position((*self._top, *file))

    def size(self, file: Place) -> int:
        """Return how many bytes are unpacked to read a file."""
        return self._tree.size((*self._top, *file))


class Nested:
    """An archive in a tree, as a `Tree`. It is opened anew for each question: a class of these would fill the memory."""

    def __init__(self, outer: Tree, place: Place, allowance: UnpackingLimit = UNLIMITED) -> None:
        self._outer = outer
        self._place = place
        self._allowance = allowance

    def open(self) -> Archive:
        """Open the archive; `SubmissionError` says why that is not possible."""
        data = self._outer.read(self._place)
        try:
            return open_bytes(data, self._allowance)
        except Exception as error:  # what is damaged raises many kinds
            raise SubmissionError(f"cannot be opened: {clean(in_one_sentence(error), 150)}") from error

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """List what lies directly in a folder."""
        return self.open().entries(folder, most)

    def read(self, file: Place) -> bytes:
        """Unpack a file."""
        return self.open().read(file)

    def position(self, file: Place) -> int:
        """Tell where the archive stands."""
        return self._outer.position(self._place)

    def size(self, file: Place) -> int:
        """Return how many bytes are unpacked to read the archive."""
        return self._outer.size(self._place)
