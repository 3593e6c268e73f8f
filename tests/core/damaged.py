"""Sound files of every kind, small, and what becomes of files on bad disks and in bad mails."""

import io
import json
import random
import zipfile
from collections.abc import Iterator

import docx
import openpyxl
from pypdf import PdfReader, PdfWriter

TURNS = [{"speaker": "client", "text": "I cannot sleep."}, {"speaker": "counselor", "text": "Since when?"}]
REPORT = "Title: Nights\nType: a\nMethod: b\nCase brief: She slept badly since the move.\nProcess: We met.\nReflections: Slow."


def docx_file() -> bytes:
    document = docx.Document()
    document.add_heading("Nights", 1)
    for line in REPORT.split("\n"):
        document.add_paragraph(line)
    table = document.add_table(2, 2)
    table.cell(0, 0).text = "Age"
    box = io.BytesIO()
    document.save(box)
    return box.getvalue()


def pdf_file(algorithm: str = "", user: str = "", owner: str = "owner") -> bytes:
    """One page of text; with an algorithm (RC4-128, AES-128, AES-256) it is encrypted."""
    writer = PdfWriter(PdfReader(io.BytesIO(plain_pdf())))
    if algorithm:
        writer.encrypt(user, owner, algorithm=algorithm)
    box = io.BytesIO()
    writer.write(box)
    return box.getvalue()


def plain_pdf() -> bytes:
    lines = "".join(f"({line}) Tj 0 -14 Td " for line in REPORT.split("\n"))
    stream = f"BT /F1 12 Tf 72 700 Td {lines}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in places)
    return out + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start


def xlsx_file() -> bytes:
    book = openpyxl.Workbook()
    for row in (("target", "rater", "item", "score"), ("A", "K", "Q", 1), ("B", "K", "Q", 2)):
        book.active.append(row)
    box = io.BytesIO()
    book.save(box)
    return box.getvalue()


def zip_file() -> bytes:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("talk.json", json.dumps(TURNS))
    return box.getvalue()


def json_file() -> bytes:
    return json.dumps({"title": "Talk", "dialog": TURNS * 3, "date": "2024-01-02"}).encode()


def roles_file() -> bytes:
    role = {"role": "You are Ann, a 30-year-old nurse.", "challenge": "Grief", "pid": "1", "life_events": "1. A loss."}
    profile = {"behavior": "Quiet.", "personas": ["a"], "beliefs": ["b"], "acceptable_plans": ["c"], "receptivity": 3}
    return "\n".join(json.dumps(one) for one in (role, profile)).encode()


def csv_file() -> bytes:
    return b'session,speaker,text\n1,client,"I cannot sleep, ever."\n1,counselor,Since when?\n1,client,Always.\n'


def ratings_file() -> bytes:
    return b"target,rater,item,score\nA,K,Q,1\nA,L,Q,2\nB,K,Q,3\nB,L,Q,\nC,K,Q,1\nC,L,Q,2\n"


SOUND = {
    "docx": docx_file, "pdf": pdf_file, "xlsx": xlsx_file, "zip": zip_file, "json": json_file, "roles.jsonl": roles_file,
    "csv": csv_file, "ratings.csv": ratings_file,
}  # fmt: skip


def flipped(sound: bytes, seed: int, count: int = 150) -> Iterator[bytes]:
    """Copies of a file, each with a few bits the other way, some cut off as well."""
    rng = random.Random(seed)
    for _ in range(count):
        bad = bytearray(sound)
        for _ in range(rng.choice((1, 1, 2, 8, 40))):
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        yield bytes(bad[: rng.randrange(1, len(bad))] if rng.random() < 0.2 else bad)
