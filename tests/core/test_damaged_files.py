"""A file that cannot be read gives one sentence, whoever reads it and whatever is wrong; the next one is read."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdf.errors import DependencyError
from typer.testing import CliRunner

from core import files
from core.cli import app
from core.csv_files import rows_of
from core.errors import DataError, WorkbenchError
from core.reports.parsing import text_of
from core.reports.service import import_report
from core.results.agreement_file import agreement_of_rows
from core.roles.importing import read_roles
from core.sessions.importing import import_transcripts, read_transcripts
from storage.store import Store
from tests.core.damaged import REPORT, SOUND, TURNS, flipped, pdf_file, plain_pdf, xlsx_file

Read = Callable[[str, bytes], object]
run = CliRunner().invoke
SEED = 20_240_401


def report(name: str, data: bytes) -> object:
    return import_report(name, data)


def ratings(name: str, data: bytes) -> object:
    return rows_of(name, data, ("target", "rater", "item", "score"))


READERS: dict[str, tuple[Read, tuple[str, ...]]] = {
    "reports": (report, (".docx", ".pdf", ".txt")),
    "transcripts": (read_transcripts, (".json", ".jsonl", ".csv", ".txt")),
    "roles": (lambda name, data: read_roles(data, name), (".json",)),
    "ratings": (ratings, (".csv",)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", SOUND)
def test_flipped_bits_give_a_sentence_or_what_can_be_read(kind: str, reader: str) -> None:
    read, endings = READERS[reader]
    for number, data in enumerate(flipped(SOUND[kind](), SEED)):
        for ending in endings:
            try:
                read(f"file-{number}{ending}", data)
            except WorkbenchError as error:
                assert str(error)


LONG = b'[{"speaker": "client", "text": "a", "turn": ' + b"9" * 5_000 + b"}]"
STRANGE: dict[str, bytes] = {
    "deep JSON": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "many values": b"[" + b"1," * (files.MOST_CELLS + 2) + b"1]",
    "a number without end": LONG,
    "a number without end in a card": b'{"role": "x", "challenge": ' + b"9" * 5_000 + b"}",
    "infinity": b'[{"speaker": "client", "text": "a", "turn": 1e999}, {"speaker": "counselor", "text": "b", "turn": NaN}]',
    "half a sign": b'[{"speaker": "client", "text": "\\ud800 a"}, {"speaker": "counselor", "text": "b"}]',
    "commas": b",,,,\n,,,,\n",
    "only NULs": b"\x00" * 500,
    "an open quote": b'target,rater,item,score\n"A,K,Q,1\nB,K,Q,2\n',
    "traits as lists": b'{"traits": {"openness": ["high"]}, "text": "You are Ann."}',
    "lists everywhere": b'{"role": "x", "challenge": [1], "final_persona": {}, "life_events": [[]], "behavioral_traits": {}}',
    "a profile of objects": b'{"personas": ["a"], "beliefs": ["b"], "acceptable_plans": ["c"], "behavior": {"a": 1}, "title": []}',
    "a card of objects": b'{"traits": {}, "text": "x", "stressor": {"label": [1]}, "title": {}, "seed": 1e3, "demographics": {"age": {}}}',
    "rows that are lists": b"[[1, 2], [3, 4], null, true]",
    "turns that are numbers": b'{"turns": [1, 2, 3]}',
    "Office with a password": files.LOCKED + b"\x00" * 600,
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("what", STRANGE)
def test_strange_files_give_a_sentence_or_what_can_be_read(what: str, reader: str) -> None:
    read, endings = READERS[reader]
    for ending in endings:
        try:
            read(f"file{ending}", STRANGE[what])
        except WorkbenchError as error:
            assert len(str(error)) < 1_000


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_an_encrypted_pdf_is_called_so_and_one_guarded_against_changes_is_read(algorithm: str) -> None:
    with pytest.raises(DataError, match="encrypted"):
        text_of("locked.pdf", pdf_file(algorithm, user="secret"))
    assert "She slept badly" in text_of("guarded.pdf", pdf_file(algorithm, user=""))


def test_an_encryption_that_cannot_be_undone_here_is_called_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_given: object) -> None:
        raise DependencyError("cryptography>=3.1 is required for AES algorithm")

    monkeypatch.setattr("pypdf.PdfReader", missing)
    with pytest.raises(DataError, match="encrypted"):
        text_of("locked.pdf", pdf_file("AES-256", user="secret"))


def test_an_encrypted_pdf_stops_no_other_file(store: Store, tmp_path: Path) -> None:
    given: dict[str, bytes] = {
        "a.pdf": pdf_file("AES-256", user="secret"), "b.docx": files.LOCKED + b"\x00" * 900, "c.docx": SOUND["docx"]()[:900],
        "d.pdf": plain_pdf()[:300], "e.docx": xlsx_file(), "f.txt": b"\x00\x01" * 90, "g.txt": REPORT.encode(),
    }  # fmt: skip
    for name, data in given.items():
        (tmp_path / name).write_bytes(data)
    done = run(app, ["import", *(str(tmp_path / name) for name in given), "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 0 and [file["status"] for file in told["files"]] == ["refused"] * 6 + ["accepted"]
    assert all(len(file["messages"]) == 1 for file in told["files"][:6]) and store.reports.count() == 1


@pytest.mark.parametrize("kind", ["reports", "transcripts", "roles", "ratings", "comparisons"])
def test_no_kind_of_import_ends_in_a_traceback(store: Store, tmp_path: Path, kind: str) -> None:
    given = []
    for at, (what, data) in enumerate({**STRANGE, "xlsx": xlsx_file()}.items()):
        for ending in (".txt", ".json", ".csv", ".docx", ".pdf"):
            path = tmp_path / f"{at}{ending}"
            path.write_bytes(data)
            given.append(path)
            assert what
    done = run(app, ["import", *map(str, [*given, tmp_path, tmp_path / "gone.txt"]), "--as", kind, "--json"])
    assert done.exit_code == 0 and done.exception is None
    assert len(json.loads(done.stdout)["files"]) == len(given) + 2


def test_tables_given_to_the_statistics_are_refused_with_code_two(tmp_path: Path) -> None:
    for name, data in {"xlsx.csv": xlsx_file(), "commas.csv": b",,,\n", "inf.csv": b"target,rater,item,score\nA,K,Q,1e999\n"}.items():
        (tmp_path / name).write_bytes(data)
        for command in ("agreement", "compare"):
            done = run(app, [command, str(tmp_path / name)])
            assert done.exit_code == 2 and not isinstance(done.exception, DataError) and done.stdout == "", (name, command)


def test_line_ends_of_old_macs_and_control_characters_are_read_and_said(store: Store) -> None:
    done = import_transcripts(store, "mac.csv", b"speaker,text\rclient,I can\x00not\x07 sleep\rcounselor,Since when?\r")
    assert [turn.text for turn in store.sessions.turns(done.saved[0])] == ["I cannot sleep", "Since when?"]
    assert done.status == "warned" and "2 control characters" in str(done.messages[0])
    done = import_transcripts(store, "esc.json", json.dumps([{"speaker": "client", "text": "a\u0000b\ud800"}, TURNS[1]]).encode())
    assert done.status == "warned" and "2 control characters" in str(done.messages[0])
    assert store.sessions.turns(done.saved[0])[0].text == "ab"


def test_a_report_says_what_was_dropped(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(REPORT.replace("badly", "ba\x00dly\x1b").replace("\n", "\r").encode())
    told = json.loads(run(app, ["import", str(tmp_path / "a.txt"), "--json"]).stdout)["files"][0]
    assert told["status"] == "warned" and "2 control characters" in told["messages"][0]
    assert store.reports.all()[0].case_brief == "She slept badly since the move."


def test_ids_beyond_the_database_are_not_there(store: Store, tmp_path: Path) -> None:
    for id in ("9" * 30, "-1", "1_0", "0x1", "１"):
        (tmp_path / "r.csv").write_text(f"session,rater,instrument,item,value\n{id},K-01,wai-o-s,Q1,4\n")
        told = json.loads(run(app, ["import", str(tmp_path / "r.csv"), "--as", "ratings", "--json"]).stdout)
        assert told["refused"] == 1 and "not in the store" in told["files"][0]["messages"][0]
    assert run(app, ["show", "session", "9" * 30]).exit_code == 2


def test_a_name_leads_nowhere(store: Store) -> None:
    with pytest.raises(DataError, match="lacks the column"):
        rows_of("../../outside.csv", b"a,b\n1,2\n", ("c",))
    assert not Path("/outside.csv").exists() and not Path("../../outside.csv").exists()


def packed(size: int, copies: int = 1) -> bytes:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(copies):
            archive.writestr(f"word/media/{number}", b"\x00" * size)
    return box.getvalue()


def test_what_comes_out_of_a_packed_file_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_UNPACKED", 1)
    with pytest.raises(DataError, match="unpacks to far more"):
        files.check_unpacked("bomb.docx", packed(3_000_000, 8), most=20_000_000)
    files.check_unpacked("small.docx", packed(3_000_000, 6), most=20_000_000)


@pytest.mark.parametrize("kind", ["lines", "cells"])
def test_lines_and_cells_are_bounded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINES", 1_000)
    monkeypatch.setattr(files, "MOST_CELLS", 1_000)
    many: dict[str, tuple[str, Any]] = {
        "lines": ("t.txt", b"client: a\ncounselor: b\n" * 2_000),
        "cells": ("t.csv", b"speaker,text\n" + b"client,a\ncounselor,b\n" * 400),
    }
    with pytest.raises(DataError, match=f"more than 1,000 {kind}"):
        read_transcripts(*many[kind])


def test_the_rows_of_a_sound_table_are_read_as_before() -> None:
    assert agreement_of_rows("t.csv", SOUND["ratings.csv"]())["items"]["Q"]["n_raters"] == 2
