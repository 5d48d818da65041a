"""Opening what an instructor names: a folder, or an archive by what it holds, whatever it is called."""

from __future__ import annotations

import os
import weakref
from pathlib import Path

from redink.errors import CourseError, SubmissionError
from redink.files import kind_of, refuse_unless_file
from redink.grader.intake.archive import Archive
from redink.grader.intake.folder import Folder
from redink.grader.intake.forms import START, form_of
from redink.grader.intake.tars import open_tar
from redink.grader.intake.unpacking import UNLIMITED, UnpackingLimit
from redink.grader.intake.zips import open_zip
from redink.texts import clean


def open_tree(path: Path) -> Folder | Archive:
    """Open a folder or an archive; `CourseError` says why that is not possible."""
    try:
        return Folder(path) if path.is_dir() else _open_archive(path)
    except (CourseError, SubmissionError) as error:
        raise CourseError(f"{path} {error}") from error
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # what is damaged raises many kinds
        kinds = "neither a notebook (.ipynb) nor a folder nor an archive (zip, tar, tar.gz, tar.bz2, tar.xz)"
        raise CourseError(f"{path} is {kinds}, or a damaged one: {clean(str(error))}") from error


def open_bytes(data: bytes, allowance: UnpackingLimit) -> Archive:
    """Open an archive that lies in another one or in a student's folder, in memory; what is raised says why not."""
    allowance.spend(len(data))
    descriptor = os.memfd_create("archive", os.MFD_CLOEXEC)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(data)
    return _opened(descriptor, allowance)


def _open_archive(path: Path) -> Archive:
    refuse_unless_file(kind_of(path.stat().st_mode))
    return _opened(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), UNLIMITED)


def _opened(descriptor: int, allowance: UnpackingLimit) -> Archive:
    try:
        form = form_of(os.pread(descriptor, START, 0))
        archive = open_zip(descriptor, allowance) if form == "zip" else open_tar(descriptor, form, allowance)
    except BaseException:
        os.close(descriptor)
        raise
    weakref.finalize(archive, os.close, descriptor)
    return archive
