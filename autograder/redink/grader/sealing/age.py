"""The age format, through pyrage: key pairs, encrypting, decrypting; every failure is one sentence."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType

from redink.errors import CourseError

MAGIC = b"age-encryption.org/v1\n"
SECRET, PUBLIC = "AGE-SECRET-KEY-1", "age1"  # how such lines begin


def new_pair() -> tuple[str, str]:
    """Make a key pair: the identity, which is secret, and the recipient, which is public."""
    identity = _pyrage().x25519.Identity.generate()
    return str(identity), str(identity.to_public())


def encrypt(data: bytes, recipients: Sequence[str]) -> bytes:
    """Encrypt for these recipients; any one of their identities decrypts."""
    pyrage = _pyrage()
    known = []
    for told in recipients:
        try:
            known.append(pyrage.x25519.Recipient.from_str(told.strip()))
        except Exception as error:
            raise CourseError(
                f"{told!r} is no recipient: it begins with {PUBLIC}, and `redink seal --new-identity FILE` prints one"
            ) from error
    sealed: bytes = pyrage.encrypt(data, known)
    return sealed


def decrypt(data: bytes, identities: Iterable[str], where: str) -> bytes:
    """Decrypt in memory; `where` names the file in a sentence."""
    pyrage = _pyrage()
    if not data.startswith(MAGIC):
        raise CourseError(f"{where} is no sealed answer key: `redink seal` writes one")
    try:
        known = [pyrage.x25519.Identity.from_str(one) for one in identities]
    except Exception as error:
        raise CourseError(f"the identity is damaged: a line that begins with {SECRET} was cut or changed") from error
    try:
        plain: bytes = pyrage.decrypt(data, known)
    except pyrage.DecryptError as error:
        if "matching" in str(error):
            raise CourseError(f"this identity does not open {where}: it was sealed for another key pair") from error
        raise CourseError(f"{where} is damaged: it was cut off or changed after it was sealed") from error
    return plain


def _pyrage() -> ModuleType:
    try:
        return importlib.import_module("pyrage")
    except ImportError:
        raise CourseError("sealed answer keys need pyrage: install redink with its extra `seal`") from None
