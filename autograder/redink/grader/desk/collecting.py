"""`redink collect`: everybody's files from wherever they were handed in, into the gradebook, with a receipt for each.

Every file is accounted for: taken, ignored with a reason, or somebody's problem. Each attempt is one transaction, and the
same bytes are the same attempt, so a collection that was interrupted is simply run again, and so is an older one.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from redink.assignment.spec import read_spec
from redink.errors import CourseError, RedinkError, SubmissionError, in_one_sentence
from redink.grader.assignment.handed_out import handed_out, looks_like, names_by_assignment, other_assignment
from redink.grader.course import Course
from redink.grader.intake.layouts.gathered import nobodys
from redink.grader.pipeline.collect import Found, collect
from redink.grader.pipeline.load import as_notebook
from redink.grader.rules.course_rules import CourseRules, local_time
from redink.grader.rules.groups import disputes
from redink.grader.rules.reading import read_course
from redink.grader.rules.roster import Roster, read_roster
from redink.grader.rules.tables import CsvTable, harmless, read_table
from redink.grader.store.collected import HandIn, Kept
from redink.grader.store.gradebook import Gradebook
from redink.notebook import read_cells
from redink.records import Record
from redink.texts import clean, look_alikes

_TIMES = ("submitted at", "handed in", "last modified (submission)", "last modified submission", "time")
_MOST_LOOKED_AT = 8 << 20  # bytes of a notebook
_WHO = ("student", "id", "identifier", "email", "email address", "sis login id", "username")

Progress = Callable[[int, int], None]  # so many of so many

RECEIPT = ("student", "name", "file", "sha256", "attempt", "handed_in", "problem", "group")


class Receipt(Record, frozen=True):
    """What was taken of one student: which file, its hash, when it was handed in, and which attempt that makes."""

    student: str
    name: str
    file: str
    sha256: str
    handed_in: datetime | None
    attempt: int
    new: bool
    problem: str | None = None
    flags: tuple[str, ...] = ()
    group: tuple[str, ...] = ()  # who else has it
    taken_out: tuple[str, ...] = ()  # who had it before
    looks_like: str = ""  # the assignment whose notebook this is, if it is another one
    late: bool = False  # the platform says so, and not by how much


class CollectedClass(Record, frozen=True):
    """What became of all files of a source."""

    assignment: str
    told: tuple[str, ...]
    receipts: tuple[Receipt, ...]
    ignored: tuple[tuple[str, str], ...]  # files, and why
    unmatched: tuple[str, ...]  # whom the roster does not know
    missing: tuple[str, ...]  # of the roster, without any attempt
    untimed: tuple[str, ...] = ()  # whom the file of times names, and nobody collected
    disputes: tuple[str, ...] = ()  # groups whose people handed in different files
    nobodys: tuple[str, ...] = ()  # notebooks that lie among those of the class, a line for each source
    names: dict[str, str] = msgspec.field(default_factory=dict)  # of the roster, by id
    mixed_up: str = ""  # whose notebooks most of these are, if not this assignment's
    dry: bool = False


def collect_class(
    course: Course,
    slug: str,
    sources: Sequence[Path],
    *,
    gradebook: Path | None = None,
    insist: str | None = None,
    names: str | None = None,
    before: str = "",
    roster: Path | None = None,
    times: Path | None = None,
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
) -> CollectedClass:
    """Take in what was handed in; of a dry run nothing is kept."""
    rules, people = read_course(course)
    these = rules.of(slug)
    people = read_roster(roster) if roster else people
    people = people and people.grouped(these.groups)
    until = local_time(_moment(before), rules.zone) if before else None
    asked, given = read_spec(course.find_assignment(slug)).all_names(), handed_out(course, slug)
    others = names_by_assignment(course)
    found = [
        collect(slug, one, names_asked=asked, handed_out=given, insist=insist, names=names, before=until, roster=people)
        for one in sources
    ]
    known = _read_times(times, rules, people) if times else {}
    attempts = [(place, one) for place, collected in enumerate(found) for one in collected.attempts]
    path = None if dry_run else gradebook or course.gradebook_path()
    receipts: list[Receipt] = []
    taken: dict[tuple[int, str], list[int]] = defaultdict(list)  # the attempts that files of one source and student are
    with Gradebook(path, course.secret_name(), holder=f"redink collect {slug}") as book:
        for done, (place, one) in enumerate(attempts, start=1):
            mine = None if until else taken[place, one.id]  # --before says which commit is meant: that one counts
            receipts.append(_keep(book, slug, one, known, bool(people and these.groups), mine, others))
            progress(done, len(attempts))
        there = book.collected.attempts(slug)
    handed = {one.id for _, one in attempts}
    everybody = [*there, *handed, *(one.id for one in (people.people if people else ()))]
    return CollectedClass(
        assignment=slug,
        told=(*(one.gathered.told for one in found), *look_alikes(everybody)),
        names={one.id: one.name for one in (people.people if people else ()) if one.name},
        mixed_up=_mixed_up(receipts, slug),
        nobodys=tuple(line for one in found for line in nobodys(one.gathered.ignored)),
        receipts=tuple(receipts),
        ignored=tuple((one.file, one.reason) for collected in found for one in collected.gathered.ignored),
        unmatched=tuple(sorted({name for one in found for name in one.unmatched})),
        missing=tuple(one.id for one in people.people if one.id not in there) if people else (),
        untimed=tuple(sorted(set(known) - handed)),
        disputes=tuple(one.told for one in disputes(there, these.counts)),
        dry=dry_run,
    )


def write_receipts(collected: CollectedClass, path: Path) -> None:
    """Write a receipt for each file that was taken, as CSV, to be sent back."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(RECEIPT)
    for one in collected.receipts:
        when, group = one.handed_in.isoformat() if one.handed_in else "", "; ".join(one.group)
        said = (one.student, one.name, one.file, one.sha256, str(one.attempt), when, one.problem or "", group)
        rows.writerow(map(harmless, said))
    path.write_text(text.getvalue(), encoding="utf-8")


def _keep(
    book: Gradebook,
    slug: str,
    found: Found,
    times: Mapping[str, datetime],
    settled: bool,
    taken: list[int] | None,
    names: Mapping[str, frozenset[str]],
) -> Receipt:
    """Keep one attempt; what cannot be read is kept as a problem, so that nobody vanishes.

    `settled` says that the roster names all of a group; what Gradescope exports always does. `taken` notes which attempts
    the files of one source are.
    """
    handed, content = found.handed, b""
    assert handed is not None
    problem = found.problem
    if problem is None:
        try:
            content = found.tree.read(found.place)
        except SubmissionError as error:
            problem = f"{found.file} {error}"
        except Exception as error:  # noqa: BLE001 - whatever one file does, it does to itself
            problem = f"{found.file} cannot be read: {clean(in_one_sentence(error))}"
    insists = found.id in times
    handed = msgspec.structs.replace(
        handed,
        sha256=hashlib.sha256(content).hexdigest() if problem is None else "",
        handed_in=times.get(found.id, handed.handed_in),
        insist=insists,
        settled=settled or handed.source == "gradescope",
        problem=problem,
    )
    kept = book.collected.keep(slug, handed, content if problem is None else None, taken=taken)
    if taken is not None:
        taken.append(kept.submission)
    return _receipt(handed, kept, _other_assignment(names, slug, found.file, content))


def _other_assignment(names: Mapping[str, frozenset[str]], slug: str, file: str, content: bytes) -> str:
    """Return which other assignment's notebook this is; what cannot be read is said when it is graded."""
    if not content or len(content) > _MOST_LOOKED_AT:
        return ""
    try:
        return other_assignment(names, slug, read_cells(as_notebook(file, content)))
    except RedinkError:
        return ""


def _mixed_up(receipts: Sequence[Receipt], slug: str) -> str:
    """Say so if more than half of all that was handed in is another assignment's."""
    found = Counter(one.looks_like for one in receipts if one.looks_like)
    for other, count in found.most_common(1):
        if 2 * count > len(receipts):
            return (
                f"{count} of {len(receipts)} look like {other}'s notebook: is this {slug}, or `redink collect {other}`?"
            )
    return ""


def _receipt(handed: HandIn, kept: Kept, other: str) -> Receipt:
    return Receipt(
        student=handed.student,
        name=handed.name,
        file=handed.file,
        sha256=handed.sha256,
        handed_in=kept.handed_in,
        attempt=kept.attempt,
        new=kept.new,
        problem=handed.problem,
        flags=(*handed.flags, looks_like(other)) if other else handed.flags,
        looks_like=other,
        group=handed.members,
        taken_out=kept.taken_out,
        late=bool(handed.late) and kept.handed_in is None,
    )


def _read_times(path: Path, rules: CourseRules, people: Roster | None) -> dict[str, datetime]:
    """Read when people handed in: a worksheet of Moodle, or a CSV file with the columns student and submitted_at."""
    table = read_table(path)
    who, when = table.column(*_WHO), table.column(*_TIMES)
    if who is None or when is None:
        header = ", ".join(clean(text, 40) for text in table.rows[0].texts())
        raise CourseError(f"{path} has no columns student and submitted_at, nor those of Moodle; it has: {header}")
    return dict(_times(table, who, when, path, rules, people))


def _times(
    table: CsvTable, who: int, when: int, path: Path, rules: CourseRules, people: Roster | None
) -> list[tuple[str, datetime]]:
    found = []
    for number, row in enumerate(table.rows[1:], start=2):
        texts = [text.strip() for text in row.texts()]
        if len(texts) <= max(who, when) or not texts[when] or texts[when] == "-":
            continue
        try:
            meant = people.meant(texts[who]) if people else []
            if len(meant) > 1:
                ids = ", ".join(one.id for one in meant)
                raise CourseError(f"{len(meant)} people are called {texts[who]!r}: write the id of one of them: {ids}")
            moment = _moment(texts[when])
        except CourseError as error:
            raise CourseError(f"{path}, line {number}: {error}") from error
        found.append((meant[0].id if meant else texts[who], local_time(moment, rules.zone)))
    return found


def _moment(text: str) -> datetime:
    """Read a time as computers write it, or as Moodle does in English."""
    text = text.strip()
    for read in (datetime.fromisoformat, _as_moodle_writes):
        try:
            return read(text)
        except ValueError:
            continue
    raise CourseError(f"{text!r} is no time: write it as 2026-11-20 23:59")


def _as_moodle_writes(text: str) -> datetime:
    """Read `Friday, 20 November 2026, 11:59 PM`."""
    for form in ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d %B %Y, %I:%M %p", "%Y-%m-%d %H:%M:%S %z"):
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise ValueError(text)
