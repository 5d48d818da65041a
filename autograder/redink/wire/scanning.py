"""Looking at bytes before anything is built from them: how many parts they claim, how deep, and which keys.

A byte can become seventy of memory, and a map of tuples that share one hash takes hours to build.
"""

from __future__ import annotations

from redink.errors import WireError
from redink.wire.values import MAX_DEPTH, NESTED

# MessagePack tags with a length behind them: (its width, nodes for each counted thing or 0 for bytes, bytes of ext code)
_SIZED = {
    0xC4: (1, 0, 0), 0xC5: (2, 0, 0), 0xC6: (4, 0, 0), 0xC7: (1, 0, 1), 0xC8: (2, 0, 1), 0xC9: (4, 0, 1),
    0xD9: (1, 0, 0), 0xDA: (2, 0, 0), 0xDB: (4, 0, 0),
    0xDC: (2, 1, 0), 0xDD: (4, 1, 0), 0xDE: (2, 2, 0), 0xDF: (4, 2, 0),
}  # fmt: skip
_MAPS = frozenset([*range(0x80, 0x90), 0xDE, 0xDF])
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}


class SizeError(WireError):
    """A value has more parts than its reader asks for."""


def scan(data: bytes, most: int) -> None:
    """Refuse, before anything is unpacked, more nodes than may cross, and keys of maps that are not strings.

    A byte can become seventy of memory, and a map of tuples that share one hash takes hours to build.
    """
    above: list[tuple[int, bool, int]] = []
    left, keyed, end = 1, False, 0  # nodes still to come here; whether keys alternate with values; where it must end
    at = nodes = 0
    while True:
        while not left:
            if end and at != end:
                raise WireError("what came back claims another length than it has")
            if not above:
                return
            left, keyed, end = above.pop()
        nodes += 1
        if nodes > most:
            raise SizeError(f"returned more than {most} values")
        tag = data[at]
        if keyed and not left & 1 and not (0xA0 <= tag < 0xC0 or 0xD9 <= tag <= 0xDB):
            raise WireError("what came back has keys that are not strings")
        left -= 1
        if tag < 0x80 or tag >= 0xE0:
            at += 1
            continue
        at, inside, behind = _past_header(data, at, tag)
        if inside:
            if len(above) > 4 * MAX_DEPTH:
                raise WireError("what came back is nested too deeply")
            above.append((left, keyed, end))
            left, keyed, end = inside, tag in _MAPS, behind


def _past_header(data: bytes, at: int, tag: int) -> tuple[int, int, int]:
    """Step over one MessagePack header and its own bytes.

    Return the place behind it, how many nodes follow inside, and where they must end, or 0 where nothing says so.
    """
    if tag in _FIXED:
        return at + 1 + _FIXED[tag], 0, 0
    if tag < 0xA0:
        return at + 1, (tag & 15) * (1 if tag >= 0x90 else 2), 0
    if tag < 0xC0:
        return at + 1 + (tag & 31), 0, 0
    if tag in _SIZED:
        width, scale, extra = _SIZED[tag]
        size = int.from_bytes(data[at + 1 : at + 1 + width], "big")
        behind = at + 1 + width + extra
        if scale:
            return behind, scale * size, 0
        if extra and data[behind - 1] in NESTED:
            return behind, 1, behind + size
        return behind + size, 0, 0
    if 0xD4 <= tag <= 0xD8:
        size = 1 << (tag - 0xD4)
        return (at + 2, 1, at + 2 + size) if data[at + 1] in NESTED else (at + 2 + size, 0, 0)
    return at + 1, 0, 0
