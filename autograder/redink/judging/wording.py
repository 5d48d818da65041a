"""The sentences in which a student reads how a wrong answer relates to the right one, and which of two says more."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType
from typing import NamedTuple

from redink.checks.describing import key_name

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_AXES = MappingProxyType({"one": "first", "two": "second", "three": "third", "four": "fourth"})
_PLAIN = ("opposite", "twice", "half", "base")
_SIZED = ("times ", "divided by ", "one less than ")
_SAYS_MORE = (
    ("reversed", "permuted"),
    ("sorted", "permuted"),
    ("one place", "permuted"),
    ("lacks one", "lacks some"),
    ("exceeds one", "exceeds some"),
    ("first", "border"),
    ("last", "border"),
    ("nan where", "nan in places"),
    ("later values", ""),
)


class Place(NamedTuple):
    """Which of several values is meant; the whole answer if there are no keys."""

    keys: tuple[str | int, ...] = ()

    def within(self, key: str | int, among: int) -> Place:
        """Return the same place in one of so many values."""
        return Place((key if isinstance(key, str) or among <= len(_ORDINALS) else "", *self.keys))

    def named(self) -> str:
        """Say which value it is."""
        if not any(key != "" for key in self.keys):
            return "your answer"
        ordinals = [_ORDINALS[key] for key in self.keys if isinstance(key, int)]
        names = [f"`{key_name(key)}`" for key in self.keys if isinstance(key, str) and key]
        value = " of the ".join(f"{ordinal} value" for ordinal in reversed(ordinals)) or "value"
        return f"the {value} under {' and '.join(names)}" if names else f"the {value}"


_SENTENCES = MappingProxyType(
    {
        "factor": "{it} is the right one times a constant, the same in all that we tried: "
        "is a constant factor missing, or put in twice?",
        "opposite": "{it} is the right one with the opposite sign: is a minus missing, or a difference the wrong way round?",
        "twice": "{it} is twice the right one: is a factor of one half missing, or something counted twice?",
        "half": "{it} is half the right one: is a factor of two missing, or one half put in where none belongs?",
        "base": "{it} is the right one up to the base of the logarithm: which one is meant?",
        "one more": "{it} is one more than the right one: is something counted that should not be, or once too often?",
        "one less": "{it} is one less than the right one: is something left out, or not counted at one end?",
        "offset": "{it} differs from the right one by a constant, the same in all that we tried: what is added or left out?",
        "squared": "{it} is the square of the right one: is a root missing, or an exponent twice too large?",
        "root": "{it} is the square root of the right one: is a square missing, or an exponent half too small?",
        "exponential": "{it} is the exponential of the right one: is the logarithm asked for?",
        "logarithm": "{it} is the logarithm of the right one: is the number itself asked for?",
        "inverse": "{it} is one divided by the right one: which of the two belongs below?",
        "absolute": "{it} is the right one without its signs: where do negative numbers lose theirs?",
        "clipped": "{it} is the right one with 0 in place of the negative numbers: should they be cut off here?",
        "complement": "{it} is one minus the right one: which of the two cases is meant?",
        "whole": "{it} is the right one cut or rounded to whole numbers: is // used, or an array of integers?",
        "decimals": "{it} is the right one rounded to a few decimals: return it as it is, round only what you print.",
        "transposed": "{it} is the transpose of the right one: which index belongs to the rows?",
        "axes": "{it} has the right numbers with the axes in another order: which axis is which?",
        "sorted": "{it} has the right numbers, but sorted: in which order do they belong?",
        "another shape": "{it} has the right numbers in another shape: which shape is asked for?",
        "summed": "{it} is the sum of the right one: over which axis may you sum, if over any?",
        "averaged": "{it} is the mean of the right one: over which axis may you average, if over any?",
        "not summed": "the sum of {its} numbers is the right one: is it summed over everything that it should be?",
        "not averaged": "the mean of {its} numbers is the right one: is it averaged over everything that it should be?",
        "values in another order": "{it} has the right values in another order: in which order are they asked for?",
        "later values": "several values must be equal here; {its} first is right and a later one is not: "
        "is an argument changed in place, or something left over from one call to the next?",
        "several examples": "{it} is right for one example and wrong for several: what is mixed up between the rows, "
        "or done once where it should be done for each?",
        "where 0 is right": "{it} is wrong only where 0 is expected: "
        "what happens there, for instance to what is masked, padded or left out?",
        "border": "{it} is wrong only at the border: what happens at the edges?",
        "diagonal": "{it} is wrong only on the diagonal: what is special where both indices are equal?",
        "above the diagonal": "{it} is wrong only above the diagonal: what happens where the second index is larger?",
        "below the diagonal": "{it} is wrong only below the diagonal: what happens where the first index is larger?",
        "nan": "{it} is NaN: where does 0 meet infinity, or 0 another 0: in 0/0, 0 · log 0, ∞/∞ or ∞ − ∞?",
        "nan in places": "{it} has NaN in some places and is right elsewhere: "
        "where does an exponential overflow, or is there 0/0, 0 · log 0 or ∞ − ∞?",
        "nan where 0 is right": "{it} has NaN where 0 is right: is there 0 · log 0, or 0/0?",
        "infinite": "{it} is infinite: is something divided by 0, the logarithm of 0 taken, or an exponential too large?",
        "infinite in places": "{it} is infinite in some places and right elsewhere: where is something divided by 0, "
        "the logarithm of 0 taken, or an exponential too large?",
    }
)
_BY_BEGINNING = (
    ("times `", "{it} is the right one times `{rest}: is that factor put in once too often?"),
    ("divided by `", "{it} is the right one divided by `{rest}: is that factor missing?"),
    ("times ", "{it} is the right one times {rest}: is a division missing, or a sum taken where a mean is asked for?"),
    ("divided by ", "{it} is the right one divided by {rest}: is it averaged where a sum is asked for, or twice?"),
    ("one less than ", "{it} is off by what one more or one less than {rest} makes: by which of the two do you divide?"),
    ("reversed numbers", "{it} has the right numbers in reverse order: where does it begin?"),
    ("reversed rows", "{it} has the right rows in reverse order: which one comes first?"),
    ("reversed columns", "{it} has the right columns in reverse order: which one comes first?"),
    ("reversed axis ", "{it} is the right one in reverse along its {axis} axis: which end comes first?"),
    ("one place too late, ", "{it} is the right one shifted by one place, each number one too late: where does it begin?"),
    ("one place too early, ", "{it} is the right one shifted by one place, each number one too early: where does it begin?"),
    ("permuted numbers", "{it} has the right numbers in another order: in which order are they asked for?"),
    ("permuted rows", "{it} has the right rows in another order: which row belongs to what?"),
    ("permuted columns", "{it} has the right columns in another order: which column belongs to what?"),
    ("permuted axis ", "{it} is the right one in another order along its {axis} axis: what belongs where?"),
    ("first along", "{it} is wrong only in what comes first along its first axis: what is special at the beginning?"),
    ("last along", "{it} is wrong only in what comes last along its first axis: what is special at the end?"),
    ("first ", "{it} is wrong only in its first {rest}: what is special there?"),
    ("last ", "{it} is wrong only in its last {rest}: what is special there?"),
    ("lacks one at the end, ", "{it} is right, but its last {rest} is missing: does it stop one too soon?"),
    ("lacks one at the beginning, ", "{it} is right, but its first {rest} is missing: does it begin one too late?"),
    ("exceeds one at the end, ", "{it} is right with one {rest} too many at the end: does it stop one too late?"),
    ("exceeds one at the beginning, ", "{it} is right with one {rest} too many at the beginning: does it begin too soon?"),
    ("lacks some at the end", "{it} is right as far as it goes, but stops too soon."),
    ("lacks some at the beginning", "{it} has the right end, but what comes before is missing."),
    ("exceeds some at the end", "{it} begins with the right one and goes on too long: where should it stop?"),
    ("exceeds some at the beginning", "{it} ends with the right one, but something stands before: where should it begin?"),
)  # fmt: skip


def sentence(name: str, place: Place, *, function: str = "", partly: bool = False) -> str:
    """Say one relation; `partly` when other trials of the same checks are right."""
    it = place.named()
    template = _SENTENCES.get(name) or next(text for begin, text in _BY_BEGINNING if name.startswith(begin))
    begin = next((begin for begin, _ in _BY_BEGINNING if name.startswith(begin)), "")
    rest = name.removeprefix(begin)
    its = "your" if it == "your answer" else f"{it}'s"
    said = template.format(it=it, its=its, rest=rest, axis=_AXES.get(rest, rest))
    if partly and "wrong only" not in said:
        said = f"where it is wrong, {said}"
    return f"In `{function}`, {said}" if function else said[:1].upper() + said[1:]


def strongest(names: Collection[str]) -> list[str]:
    """Keep of relations that all hold those which say most: what is reversed is also permuted.

    A factor that is one of several sizes is named by the first if it varies with them, and left without a name if not.
    """
    kept = list(names)
    sized = [name for name in kept if name.startswith(_SIZED)]
    if any(name in _PLAIN for name in kept):
        weaker = {*sized, "factor", "absolute"}
    elif "factor" in kept and len(sized) > 1:
        weaker = set(sized)
    else:
        weaker = {*sized[1:], *(["factor"] if sized else [])}
    for strong, weak in _SAYS_MORE:
        if any(name.startswith(strong) for name in kept):
            weaker |= {name for name in kept if name.startswith(weak) and not name.startswith(strong)}
    return [name for name in kept if name not in weaker]
