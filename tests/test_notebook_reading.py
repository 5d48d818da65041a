"""A submitted notebook is data: its code cells, or one sentence that says why not."""

import json
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redink.errors import SubmissionError
from redink.notebook import MAX_BYTES, MAX_CELLS, MAX_SOURCE, read_cells, read_parts


def notebook(*cells, **more):
    return json.dumps({"cells": list(cells), "nbformat": 4, **more}).encode()


def code(source, **more):
    return {"cell_type": "code", "source": source, **more}


def refusal(data):
    with pytest.raises(SubmissionError) as told:
        read_cells(data)
    sentence = str(told.value)
    assert sentence.startswith(("is ", "has "))
    assert "\n" not in sentence
    assert len(sentence) < 300
    return sentence


def test_code_cells_are_taken_with_their_place_among_all_cells():
    data = notebook(
        {"cell_type": "markdown", "source": "# Hi"}, code("a = 1"), {"cell_type": "raw", "source": "r"}, code("b = 2")
    )
    assert [(cell.index, cell.source) for cell in read_cells(data)] == [(2, "a = 1"), (4, "b = 2")]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a = 1\nb", "a = 1\nb"),
        (["a = 1\n", "b"], "a = 1\nb"),
        ("", ""),
        ([], ""),
        ("x = '\u00e9\U0001f600'", "x = '\u00e9\U0001f600'"),
    ],
)
def test_source_may_be_text_or_lines_of_text(source, text):
    (cell,) = read_cells(notebook(code(source)))
    assert cell.source == text


def test_a_code_cell_without_source_is_empty():
    assert read_cells(notebook({"cell_type": "code"}))[0].source == ""


@pytest.mark.parametrize("source", [3, None, {"a": 1}, ["a", 1], [["a"]], True])
def test_source_that_is_not_text_is_a_damaged_notebook(source):
    assert (
        refusal(notebook(code("fine"), code(source))) == "is a damaged notebook: the source of cell 2 is not a string"
    )


def test_outputs_metadata_and_kernels_are_ignored():
    cell = code("a", outputs=[{"data": 1}, None, "x"], metadata=[], execution_count="x")
    assert len(read_cells(notebook(cell, metadata="nonsense", kernelspec=3))) == 1


@pytest.mark.parametrize(
    "cell", [None, 3, "code", [], {}, {"cell_type": None}, {"cell_type": ["code"]}, {"cell_type": "Code"}]
)
def test_what_is_no_code_cell_is_left_out_and_counted(cell):
    (found,) = read_cells(notebook(cell, code("a")))
    assert found.index == 2


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\t ", "is empty"),
    "text": (b"Dear professor, please find attached", "is not a notebook: "),
    "python": (b"import numpy as np\n", "is not a notebook: "),
    "a zip": (b"PK\x03\x04" + bytes(100), "is not a notebook: "),
    "not utf-8": (b'{"cells": [{"cell_type": "code", "source": "\xff\xfe"}]}', "is not a notebook: "),
    "utf-16": (notebook(code("a")).decode().encode("utf-16"), "is not a notebook: "),
    "truncated": (notebook(code("a = 1"))[:-5], "is not a notebook: "),
    "two documents": (notebook() + notebook(), "is not a notebook: "),
    "deep": (b"[" * 200_000, "is not a notebook: "),
    "deep outputs": (b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "is not a notebook: "),
    "a list": (b"[]", "is JSON but not a notebook: its top level is not an object"),
    "a number": (b"3", "is JSON but not a notebook: its top level is not an object"),
    "null": (b"null", "is JSON but not a notebook: its top level is not an object"),
    "NaN": (b"NaN", "is JSON but not a notebook: its top level is not an object"),
    "an object": (b"{}", "is JSON but not a notebook: it has no list of cells"),
    "cells are a dict": (b'{"cells": {}}', "is JSON but not a notebook: it has no list of cells"),
    "cells are null": (b'{"cells": null}', "is JSON but not a notebook: it has no list of cells"),
    "version 3": (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "is a notebook in an old format (version 3)"),
    "too many cells": (notebook(*[{}] * (MAX_CELLS + 1)), f"has more than the {MAX_CELLS} cells that are allowed"),
    "too much source": (notebook(code("x" * (MAX_SOURCE + 1))), f"has more than the {MAX_SOURCE} characters of code"),
    "too much together": (notebook(*[code("x" * 1000)] * 1001), f"has more than the {MAX_SOURCE} characters of code"),
    "too much to count": (notebook(code([""] * 3_000_000)), f"has more than the {MAX_SOURCE} characters of code"),
    "too large": (b" " * (MAX_BYTES + 2**20), "is 51 MB; 50 MB are allowed: clear its outputs"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_notebook_is_refused_with_its_reason(case):
    data, reason = REFUSED[case]
    assert refusal(data).startswith(reason)


def test_as_many_cells_as_allowed_are_read():
    assert len(read_cells(notebook(*[code("a")] * MAX_CELLS))) == MAX_CELLS


def test_a_byte_order_mark_costs_nobody_a_grade():
    assert read_cells(b"\xef\xbb\xbf" + notebook(code("a")))[0].source == "a"


def test_a_number_that_is_none_among_the_outputs_costs_nobody_a_grade():
    data = b'{"cells": [{"cell_type": "code", "source": "a", "outputs": [NaN, -Infinity]}]}'
    assert read_cells(data)[0].source == "a"


def test_half_a_character_becomes_a_question_mark():
    assert read_cells(b'{"cells": [{"cell_type": "code", "source": "a\\ud800b"}]}')[0].source == "a?b"


def test_half_characters_among_the_outputs_cost_nobody_a_grade():
    data = (
        b'{"cells": [{"cell_type": "code", "source": "a = \'\\ud83d\\ude00\'", "outputs": ["\\ud800", "\\\\ud800"]}]}'
    )
    assert read_cells(data)[0].source == "a = '\U0001f600'"


def test_a_repair_changes_nothing_inside_of_a_text():
    data = b'{"cells": [{"cell_type": "code", "source": "[NaN, \\"NaN\\", -Infinity]", "outputs": [NaN, -Infinity]}]}'
    assert read_cells(data)[0].source == '[NaN, "NaN", -Infinity]'


def test_bytes_that_are_no_text_among_the_outputs_cost_nobody_a_grade():
    assert read_cells(b'{"cells": [{"cell_type": "code", "source": "a", "outputs": ["\xff"]}]}')[0].source == "a"


def test_as_much_code_as_allowed_is_read_however_it_is_written():
    escaped = b'{"cells": [{"cell_type": "code", "source": "' + b"\\u4e2d" * MAX_SOURCE + b'"}]}'
    assert len(read_cells(escaped)[0].source) == MAX_SOURCE
    assert len(read_cells(notebook(code(["x\n"] * (MAX_SOURCE // 2))))[0].source) == MAX_SOURCE


def test_prose_and_pictures_do_not_count_as_code():
    prose = {"cell_type": "markdown", "source": "x" * (MAX_SOURCE + 1), "attachments": {"a.png": "x" * MAX_SOURCE}}
    assert [cell.source for cell in read_cells(notebook(prose, code("a")))] == ["a"]


def test_a_notebook_is_taken_apart_by_the_same_rules():
    parts, cells = read_parts(b"\xef\xbb\xbf" + notebook(code("a"), 3, metadata={"x": 1}))
    assert bytes(parts.metadata) == b'{"x": 1}'
    assert [bytes(cell.source) for cell in cells] == [b'"a"', b""]
    with pytest.raises(SubmissionError, match="is empty"):
        read_parts(b"")


LARGE = {  # how a document begins, what it repeats up to 50 MB, and how it ends
    "lists": (b"[", b"[],", b"[]]"),
    "cells that are lists": (b'{"cells":[', b"[],", b"[]]}"),
    "cells that are empty": (b'{"cells":[', b"{},", b"{}]}"),
    "outputs that are lists": (b'{"cells":[{"cell_type":"code","outputs":[', b"[],", b"[]]}]}"),
    "a kind that is a list": (b'{"cells":[{"cell_type":[', b"[],", b"[]]}]}"),
    "metadata of many objects": (b'{"cells":[],"metadata":{', b'"a":{},', b'"b":0}}'),
    "deep lists": (b"", b"[", b""),
    "deep objects": (b"", b'{"cells":', b""),
    "one text": (b'{"cells":[{"cell_type":"code","source":"', b"a", b'"}]}'),
    "short lines": (b'{"cells":[{"cell_type":"code","source":[', b'"a",', b'""]}]}'),
    "short lines, not too many": (b'{"cells":[{"cell_type":"code","source":[' + b'"a",' * 1_990_000, b"", b'""]}]}'),
    "numbers that are none": (b'{"cells":[{"cell_type":"code","outputs":[', b"NaN,", b"0]}]}"),
    "a number that is none": (b'{"cells":[{"cell_type":"code","outputs":[', b"[],", b"NaN]}]}"),
    "a byte order mark": (b'\xef\xbb\xbf{"cells":[{"outputs":[', b"[],", b"0]}]}"),
    "half characters": (b'{"cells":[{"outputs":"', b"\\ud800", b'"}]}'),
    "quotes": (b"", b'"a', b""),
}
PEAK = """
import sys
from redink.errors import SubmissionError
from redink.notebook import read_cells

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024

data = sys.stdin.buffer.read()
open("/proc/self/clear_refs", "w").write("5")
before = peak()
try:
    read_cells(data)
except SubmissionError as error:
    assert str(error).startswith(("is ", "has ")), error
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
@pytest.mark.parametrize("case", LARGE)
def test_a_large_document_takes_little_more_memory_than_its_bytes(case):
    head, middle, tail = LARGE[case]
    data = head + middle * ((MAX_BYTES - len(head) - len(tail)) // len(middle) if middle else 1) + tail
    done = subprocess.run([sys.executable, "-c", PEAK], input=data, capture_output=True, timeout=100, check=True)
    assert int(done.stdout) < 250  # MB; built as a whole, some of these take 2 GB


WHOLE = notebook(
    code(["a = 1\n", "b"], metadata={"tags": ["x"]}), {"cell_type": "markdown", "source": "# Hi"}, metadata={}
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "worksheets", "x"]), inner | st.just("code"), max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@example(b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}')
@given(
    st.binary(max_size=60)
    | JSON.map(lambda value: json.dumps(value).encode())
    | st.lists(JSON, max_size=4).map(lambda cells: json.dumps({"cells": cells}).encode())
    | st.tuples(st.integers(0, len(WHOLE)), st.binary(max_size=3)).map(
        lambda cut: WHOLE[: cut[0]] + cut[1] + WHOLE[cut[0] + 1 :]
    )
)
def test_any_bytes_end_in_cells_or_in_a_sentence(data):
    try:
        cells = read_cells(data)
    except SubmissionError as error:
        assert str(error).startswith(("is ", "has "))
    else:
        assert all(isinstance(cell.source, str) and cell.source.encode() is not None for cell in cells)
        assert [cell.index for cell in cells] == sorted({cell.index for cell in cells})
