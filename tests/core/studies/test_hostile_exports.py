"""Damaged and hostile exports: one sentence each, and nothing of them is saved."""

import io
import json
import os
import random
import shutil
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import DataError, WorkbenchError
from core.studies import archive, exported
from core.studies.archive import packed
from core.studies.export import export_study
from core.studies.importing import import_archive, import_study
from storage import units
from storage.store import Store, open_store
from tests.core.studies.elsewhere import change, lines_of, rehash, study_of_every_kind
from tests.stores import STORES

COUNTED = ("study", "session", "turn", "unit", "call", "rating", "comparison", "report", "note", "role_card", "agent", "rater", "text_part")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    other = open_store(folder / "rapport.db")
    return export_study(other, study_of_every_kind(other), folder / "exported")


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def counts(store: Store) -> list[int]:
    return [units.query(store, f'SELECT count(*) FROM "{name}"')[0][0] for name in COUNTED]


def assert_refused(store: Store, folder: Path, match: str = "othing was saved") -> str:
    before = counts(store)
    with pytest.raises(DataError, match=match) as caught:
        import_study(store, folder)
    assert counts(store) == before
    assert len(str(caught.value)) < 1500
    return str(caught.value)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WRONG: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "deep design": ("study", lambda r: r.update(design={"steps": deep(60)})),
    "id over 64 bit": ("sessions", lambda r: r.update(id=2**70)),
    "id of nought": ("sessions", lambda r: r.update(id=0)),
    "id that is true": ("sessions", lambda r: r.update(id=True)),
    "text as id": ("turns", lambda r: r.update(session_id="1")),
    "number over 64 bit": ("units", lambda r: r.update(attempts=-(2**70))),
    "number over 64 bit in a call": ("calls", lambda r: r.update(sent={"seed": 10**400})),
    "another way of asking": ("ratings", lambda r: r.update(way="<img>")),
    "no repeat planned": ("ratings", lambda r: r.update(repeats=0)),
    "another setting of a comparison": ("comparisons", lambda r: r.update(setting="loud")),
    "quotes that are a text": ("ratings", lambda r: r.update(quotes="abc")),
    "quote that is no object": ("ratings", lambda r: r.update(quotes=["abc"])),
    "quote of a turn that is a text": ("ratings", lambda r: r.update(quotes=[{"text": "a", "turn": '1"><img src=x>', "status": "exact", "side": "for"}])),
    "quote of another side": ("ratings", lambda r: r.update(quotes=[{"text": "a", "turn": 1, "status": "exact", "side": "<img>"}])),
    "risk that is a number": ("turns", lambda r: r.update(risk=7)),
    "mark without its place": ("turns", lambda r: r.update(risk=[{"kind": "x"}])),
    "faults of texts": ("sessions", lambda r: r.update(faults=["x"])),
    "fault without its values": ("sessions", lambda r: r.update(faults=[{"kind": "error", "turn": 1, "message": "x"}])),
    "values that are a list": ("sessions", lambda r: r.update(faults=[{"message": "{a}", "values": [1]}])),
    "profile of numbers": ("roles", lambda r: r.update(profile={"personas": 3})),
    "receptivity off its scale": ("roles", lambda r: r.update(profile={"receptivity": 10**9})),
    "traits that are lists": ("roles", lambda r: r.update(traits={"openness": ["a"]})),
    "check of another weight": ("roles", lambda r: r.update(checks=[{"code": "a", "severity": "x", "message": ""}])),
    "life events that are a text": ("roles", lambda r: r.update(life_events="one")),
    "messages of texts": ("calls", lambda r: r.update(messages=["hello"])),
    "message without words": ("calls", lambda r: r.update(messages=[{"role": "user", "content": None}])),
    "attempts that are a number": ("calls", lambda r: r.update(attempts=3)),
    "call about another kind": ("calls", lambda r: r.update(records=[{"kind": "person", "id": 1}])),
    "payload that is a list": ("units", lambda r: r.update(payload=[])),
    "payload of text ids": ("units", lambda r: r.update(payload={"session": "7"})),
    "unit of another kind": ("units", lambda r: r.update(kind="shell")),
    "state of another kind": ("units", lambda r: r.update(state="<img>")),
    "value that is a text": ("ratings", lambda r: r.update(value="5")),
    "value that is true": ("ratings", lambda r: r.update(value=True)),
    "rating of no session": ("ratings", lambda r: r.update(session_id=9)),
    "rating of no rater": ("ratings", lambda r: r.update(rater_id=9)),
    "turn of no session": ("turns", lambda r: r.update(session_id=9)),
    "winner that was not compared": ("comparisons", lambda r: r.update(winner_id=9, verdict="won")),
    "won by nobody": ("comparisons", lambda r: r.update(winner_id=None, verdict="won")),
    "moment that is none": ("calls", lambda r: r.update(created="<img src=x>")),
    "seat that is none": ("turns", lambda r: r.update(seat="<img>")),
    "half a character": ("turns", lambda r: r.update(text="\ud800")),
    "text that is a number": ("turns", lambda r: r.update(text=5)),
    "language that is none": ("sessions", lambda r: r.update(language="../x")),
    "note of no report": ("notes", lambda r: r.update(report_id=9)),
    "goals that are a text": ("notes", lambda r: r.update(goals="rest")),
    "samples of texts": ("study", lambda r: r.update(samples={"picked": "all"})),
    "figures of texts": ("study", lambda r: r.update(deleted={"cost": "1"})),
    "name that is missing": ("study", lambda r: r.pop("name")),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_row_that_cannot_be_is_refused_with_its_place(store: Store, copy: Path, case: str) -> None:
    name, how = WRONG[case]
    if name == "study":
        row = json.loads((copy / "study.json").read_text("utf-8"))
        how(row)
        (copy / "study.json").write_text(json.dumps(row), "utf-8")
        rehash(copy)
    else:
        change(copy, name, how)
    assert f"{name}.json" in assert_refused(store, copy)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "seat": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"id": 1e400}', b'{"id": NaN}', b'{"id": Infinity}',
        b'{"id": ' + b"9" * 5000 + b"}", b"{", b"null", b"[1]", b"\xff\xfe\x00", b'{"id": 1}\x00', b'"text"', b"",
    ],
    ids=["deep", "too large", "nan", "infinity", "long", "open", "null", "list", "not utf-8", "nul", "text", "nothing"],
)  # fmt: skip
def test_line_that_is_no_row_is_refused(store: Store, copy: Path, line: bytes) -> None:
    for name in ("turns", "calls", "ratings"):
        (copy / f"{name}.jsonl").write_bytes(line + b"\n" + b"{}" + b"\n")
    rehash(copy)
    assert_refused(store, copy)


def test_id_that_is_there_twice_is_refused(store: Store, copy: Path) -> None:
    for name in ("turns", "sessions", "units", "ratings", "comparisons", "calls", "raters", "agents", "roles"):
        folder = Path(shutil.copytree(copy, copy.parent / name))
        path = folder / f"{name}.jsonl"
        first = path.read_bytes().split(b"\n")[0]
        path.write_bytes(path.read_bytes() + first + b"\n")
        rehash(folder)
        assert_refused(store, folder, "twice")


def test_rows_that_clash_in_the_store_are_refused(store: Store, copy: Path) -> None:
    change(copy, "turns", lambda row: row.update(position=lines_of(copy / "turns.jsonl")[1]["position"]), 0)
    assert_refused(store, copy, "does not fit together")


@pytest.mark.parametrize("name", ["turns.jsonl", "manifest.json", "study.json"])
def test_links_and_pipes_are_not_followed(store: Store, copy: Path, name: str) -> None:
    kept = copy.parent / "kept"
    shutil.move(copy / name, kept)
    (copy / name).symlink_to(kept)
    assert_refused(store, copy)
    (copy / name).unlink()
    os.mkfifo(copy / name)
    assert_refused(store, copy)  # and does not wait for a writer


def test_folder_that_is_a_file_or_nothing_is_refused(store: Store, copy: Path) -> None:
    for wrong in (copy / "turns.jsonl", copy / "nothing", Path("\x00")):
        assert_refused(store, wrong)


def test_line_ends_of_another_system(store: Store, copy: Path) -> None:
    for path in copy.glob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert_refused(store, copy, "changed after the export")
    rehash(copy)
    assert import_study(store, copy).name == "Every kind"


def test_newer_formats_say_so_and_both_known_ones_are_read(store: Store, copy: Path) -> None:
    assert import_study(store, STORES / "export_v1").origin == "elsewhere"
    rehash(copy, version=4)
    assert_refused(store, copy, "newer version of Rapport")
    for version in (2, 3):
        rehash(copy, version=version)
        assert import_study(store, copy).origin == "elsewhere"


@pytest.mark.parametrize("forged", [False, True], ids=["as damaged", "with a manifest that fits"])
def test_no_flipped_byte_gives_more_than_a_sentence(store: Store, copy: Path, forged: bool) -> None:
    sound = {path.name: path.read_bytes() for path in copy.glob("*.json*")}
    rng = random.Random(7)
    refused = data_files = 0
    for _ in range(100):
        name = rng.choice(sorted(sound))
        data = bytearray(sound[name])
        for _ in range(rng.choice((1, 3))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (copy / name).write_bytes(data)
        data_files += name not in ("manifest.json", "method.json")  # how it was done is for people, and not read
        try:
            if forged and name != "manifest.json":
                rehash(copy)
            import_study(store, copy)
        except WorkbenchError as error:
            refused += 1
            assert "othing was saved" in str(error)
        for name, data_ in sound.items():
            (copy / name).write_bytes(data_)
    assert refused > 5 if forged else refused >= data_files


def test_no_flipped_byte_in_a_zip_gives_more_than_a_sentence(store: Store, copy: Path) -> None:
    sound, rng = packed(copy), random.Random(11)
    before = counts(store)
    for _ in range(100):
        data = bytearray(sound)
        at = rng.randrange(len(data) - 3000, len(data)) if rng.random() < 0.5 else rng.randrange(len(data))  # headers stand last
        data[at] ^= 1 << rng.randrange(8)
        try:
            import_archive(store, bytes(data))
        except WorkbenchError as error:
            assert "othing was saved" in str(error) and counts(store) == before
        else:
            before = counts(store)


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip", b"PK\x05\x06" + b"\xff" * 18, struct.pack("<I", 0x04034B50) * 40])
def test_what_is_no_zip_is_refused(store: Store, data: bytes) -> None:
    with pytest.raises(DataError, match="othing was saved"):
        import_archive(store, data)


def bomb(entries: list[tuple[str, int]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, size in entries:
            with zipped.open(name, "w", force_zip64=True) as entry:
                for _ in range(size // 1_000_000):
                    entry.write(bytes(1_000_000))
    return out.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zip_with_one_name_many_times_is_refused_at_the_second(store: Store) -> None:
    data = bomb([("a/turns.jsonl", 1_000_000)] + [(f"{n}/turns.jsonl", 100_000_000) for n in range(5)])
    begun = time.monotonic()
    with pytest.raises(DataError, match="more than once"):
        import_archive(store, data)
    assert time.monotonic() - begun < 1


def test_zip_unpacks_to_no_more_than_its_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_UNPACKED", 50_000_000)
    import tracemalloc

    data = bomb([("turns.jsonl", 30_000_000), ("calls.jsonl", 30_000_000)])
    tracemalloc.start()
    with pytest.raises(DataError, match="too large"):
        import_archive(store, data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20_000_000  # what comes out goes to the disk


def test_lies_about_sizes_are_found(store: Store, copy: Path) -> None:
    data = bytearray(packed(copy))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)  # the size it says it unpacks to
    with pytest.raises(DataError, match="othing was saved"):
        import_archive(store, bytes(data))


def test_folder_beyond_its_limit_is_refused(store: Store, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exported, "MOST_BYTES", 10_000)
    assert_refused(store, copy, "too large")
    monkeypatch.setattr(exported, "MOST_BYTES", 10**9)
    monkeypatch.setattr(exported, "MOST_LINE", 200)
    assert_refused(store, copy, "too large")
