"""`redink report`: the class page and everybody's feedback page, as files that need neither a server nor a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from redink.errors import in_one_sentence
from redink.files import write_whole
from redink.grader.course import Course
from redink.grader.desk.standings import is_over, local
from redink.grader.pages.facts import check_sentences, class_facts
from redink.grader.pages.gather import ClassMaterial, gather, has_page
from redink.grader.pages.packing import canvas_name, moodle_name, packed, page_name
from redink.grader.pages.rendering import class_html, class_markdown, student_html, student_markdown
from redink.grader.pages.student import Release, student_page
from redink.grader.rules.standing import Standing
from redink.grader.store.gradebook import Gradebook
from redink.records import Record
from redink.source import forget
from redink.texts import clean

Progress = Callable[[int, int], None]  # how many of how many pages


class WrittenReport(Record, frozen=True):
    """What was written, and what an instructor should know about it."""

    index: Path
    students: int
    packed: dict[str, int]  # by name of the zip: how many are in it
    failed: dict[str, str]  # by student: why there is no page
    told: tuple[str, ...] = ()


def report(
    course: Course,
    book: Gradebook,
    slug: str,
    target: Path,
    *,
    now: bool = False,
    progress: Progress = lambda done, total: None,
) -> WrittenReport:
    """Write all pages of an assignment; what else is in the folder stays as it is."""
    found = gather(course, book, slug)
    withheld = "" if now else why_withheld(found)
    pages, failed = _write_students(found, target, bool(withheld), progress)
    facts = class_facts(
        found.spec.title,
        found.students,
        found.groups,
        course=found.known.rules.name,
        roster=found.known.enrolled is not None,
        notices=[*([f"Feedback pages: {withheld}"] if withheld else []), *_told_of_groups(found)],
    )
    _put(target / "index.html", class_html(facts))
    _put(target / "index.md", class_markdown(facts))
    zips = _write_zips(found, target, pages)
    known = {f"{page_name(student)}.{kind}" for student in pages for kind in ("html", "md")}
    others = [one.name for one in (target / "students").glob("*") if one.name not in known]
    left = (
        [f"{target / 'students'} holds {len(others)} other file{'s' * (len(others) > 1)}, not of this report"]
        if others
        else []
    )
    return WrittenReport(
        index=target / "index.html",
        students=len(pages),
        packed=zips,
        failed=failed,
        told=(*found.told, *([withheld] if withheld else []), *left),
    )


def why_withheld(found: ClassMaterial) -> str:
    """Say until when expected values are left out: somebody may still be at work; nothing, if everybody's time is over."""
    if is_over(found.known):
        return ""
    end = local(found.known.last_end(), found.known.rules)
    return f"expected values are left out until everybody's time is over, at {end}"


def _write_students(
    found: ClassMaterial, target: Path, withheld: bool, progress: Progress
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Write the feedback pages; one that cannot be made is told, and the others are made."""
    results = [one.result for one in found.students if one.result]
    release = Release(found.known, found.spec, check_sentences(results), withheld)
    standings = [one for one in found.known.standings if has_page(one)]
    made: dict[str, bytes] = {}
    failed: dict[str, str] = {}
    for done, standing in enumerate(standings, start=1):
        name = page_name(standing.student)
        try:
            html, text = _feedback(release, found, standing)
        except Exception as error:  # noqa: BLE001 - one page never costs the others theirs
            failed[standing.student] = clean(in_one_sentence(error))
            for kind in ("html", "md"):  # an older page would tell an older grade
                (target / "students" / f"{name}.{kind}").unlink(missing_ok=True)
        else:
            _put(target / "students" / f"{name}.html", html)
            _put(target / "students" / f"{name}.md", text)
            made[standing.student] = html
        progress(done, len(standings))
    return made, failed


def _feedback(release: Release, found: ClassMaterial, standing: Standing) -> tuple[bytes, bytes]:
    cells = found.cells.get(standing.attempt.submission, ()) if standing.attempt else ()
    page = student_page(release, standing, found.attempts.get(standing.student, ()), cells)
    forget()
    return student_html(page).encode(), student_markdown(page).encode()


def _told_of_groups(found: ClassMaterial) -> list[str]:
    return [f"{clean(one.told, 500)}." for one in found.known.disputes]


def _write_zips(found: ClassMaterial, target: Path, pages: Mapping[str, bytes]) -> dict[str, int]:
    """Pack the feedback for the platforms that submissions came from; a zip for which there is nobody is not kept."""
    uploaded = {id: one for id, own in found.attempts.items() for one in own if one.by == id}  # one's own last upload
    counts = {}
    for platform, name_of in (("canvas", canvas_name), ("moodle", moodle_name)):
        zip_name = f"feedback-{platform}.zip"
        files = {id: one.file for id, one in uploaded.items() if one.source == platform}
        named = {name: pages[student] for student in pages if (name := name_of(files.get(student, "")))}
        if named:
            _put(target / zip_name, packed(named))
            counts[zip_name] = len(named)
        else:
            (target / zip_name).unlink(missing_ok=True)
    return counts


def _put(path: Path, content: bytes | str) -> None:
    """Write a file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.encode() if isinstance(content, str) else content)
