"""`rapport …`: the workbench's services without a browser.

``--json`` prints one JSON object on stdout; everything else goes to stderr. Exit 0 when the command did its
work (refused files included), 2 for wrong usage or unreadable input.
"""

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import typer

from core.errors import WorkbenchError

Given = ParamSpec("Given")
app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__, pretty_exceptions_enable=False)
study = typer.Typer(no_args_is_help=True, help="Run, watch and resume studies.")
app.add_typer(study, name="study")
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


def readable(command: Callable[Given, None]) -> Callable[Given, None]:
    """A command whose failures are one readable line and exit code 2."""

    @wraps(command)
    def wrapped(*args: Given.args, **kwargs: Given.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except WorkbenchError as error:
            say(str(error))
            raise typer.Exit(2) from error

    return wrapped


def give(result: dict[str, Any], as_json: bool, lines: Callable[[dict[str, Any]], str] | None = None) -> None:
    """Print the result as JSON, or in words."""
    if as_json or lines is None:
        print(
            json.dumps(
                result, ensure_ascii=False, indent=None if as_json else 2, default=str, allow_nan=False
            )
        )
    else:
        print(lines(result))


def the_store() -> Any:
    from core.llm.agents import ensure_shipped
    from storage.store import open_store

    store = open_store()
    ensure_shipped(store)
    return store


@app.command("open")
@readable
def open_workbench(
    port: Annotated[int, typer.Option(help="Port to prefer.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Open the workbench in the browser."""
    from core.commands.opening import open_in_browser

    raise typer.Exit(open_in_browser(port, browser))


@app.command()
@readable
def worker() -> None:
    """Work off the units that wait, then stop."""
    from core.studies.worker import main as work

    raise typer.Exit(work())


@app.command("import")
@readable
def import_files(
    files: list[Path],
    kind: Annotated[str, typer.Option("--as", help="reports, transcripts, roles, ratings or comparisons")] = "reports",
    rated_by: Annotated[
        str, typer.Option("--kind", help="Of ratings and comparisons: person (people made them; the default) or reference (they came with the data).")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Bring files into the store: each is accepted, warned about or refused, with the reason.

    Ratings: CSV with the columns session, rater, instrument, item, value. Comparisons: first, second (as shown), rater,
    instrument, dimension, verdict (the better session's number, tie, or blank). Of either a column version may say which
    version of the instrument was used; without it, the present one. The language is the session's.
    """
    from core.commands.importing import import_files as bring

    give(
        bring(the_store(), files, kind, rated_by),
        as_json,
        lambda result: "\n".join(
            f"{f['name']}: {f['status']}" + "".join(f"\n  {m}" for m in f["messages"])
            for f in result["files"]
        ),
    )


@app.command()
@readable
def raters(as_json: AsJson = False) -> None:
    """The raters that imported tables brought in, each with its number, ratings, comparisons and instruments."""
    from core.judging.taking_back import in_words, listed

    give(listed(the_store()), as_json, in_words)


@app.command("take-back")
@readable
def take_back(
    rater: Annotated[int, typer.Argument(help="The rater's number, as rapport raters gives it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete all ratings and comparisons that tables brought of one rater, for good; nothing else goes."""
    from core.judging.taking_back import in_words, listed
    from core.judging.taking_back import take_back as delete

    store = the_store()
    if not yes:
        say(in_words({"raters": [one for one in listed(store)["raters"] if one["id"] == rater]}))
        typer.confirm("Delete these for good?", abort=True, err=True)
    receipt = delete(store, rater)
    give({"deleted": dict(receipt.rows), "finished": receipt.finished}, as_json)


@app.command()
@readable
def show(kind: str, id: int, as_json: AsJson = False) -> None:
    """Show one record with all its parts."""
    from core.commands.showing import show as shown

    give(shown(the_store(), kind, id), as_json)


@study.command("run")
@readable
def study_run(design: Path, as_json: AsJson = False) -> None:
    """Run the study of a design file to its end."""
    from core.people.service import owner
    from core.studies.service import run_design

    store = the_store()
    give(run_design(store, design, person=owner(store)), as_json)


@study.command("status")
@readable
def study_status(id: int, as_json: AsJson = False) -> None:
    """Where a study stands."""
    from core.studies.service import status

    give(status(the_store(), id), as_json)


@study.command("resume")
@readable
def study_resume(id: int, as_json: AsJson = False) -> None:
    """Go on with a study that was stopped."""
    from core.studies.service import resume

    give(resume(the_store(), id), as_json)


@study.command("stop")
@readable
def study_stop(id: int, as_json: AsJson = False) -> None:
    """Send nothing further; what is under way may still answer and is saved."""
    from core.studies.service import status, stop, wait_for

    store = the_store()
    stop(store, id)
    wait_for(store, id)
    give(status(store, id), as_json)


@study.command("retry")
@readable
def study_retry(id: int, as_json: AsJson = False) -> None:
    """Ask failed and unscored units again, and only these."""
    from core.studies.service import retry, status

    store = the_store()
    retry(store, id, wait=True)
    give(status(store, id), as_json)


@study.command("anew")
@readable
def study_anew(id: int, as_json: AsJson = False) -> None:
    """Begin the same plan as a new study, with the instruments as they are here; what is the same is not asked again."""
    from core.people.service import owner
    from core.studies.service import begin_anew, resume

    store = the_store()
    give(resume(store, begin_anew(store, id, owner(store)).id or 0), as_json)


@app.command()
@readable
def reread(
    study_id: Annotated[int | None, typer.Option("--study", help="Only this study; all of the store without it.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Let the new readings count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read stored replies again with the reader of today, without a call: lists what would change."""
    from core.commands.rereading import in_lines
    from core.commands.rereading import reread as read_again

    give(read_again(the_store(), study_id, apply), as_json, in_lines)


@app.command()
@readable
def agreement(ratings: Path, as_json: AsJson = False) -> None:
    """Agreement of raters, from a table with the columns target, rater, item, score."""
    from core.results.agreement_file import agreement_of

    give(agreement_of(ratings), as_json)


@app.command()
@readable
def compare(comparisons: Path, as_json: AsJson = False) -> None:
    """Win scores from a table of comparisons in both orders."""
    from core.results.comparison_file import compare_of

    give(compare_of(comparisons), as_json)


@app.command()
@readable
def export(
    study_id: Annotated[int, typer.Option("--study")],
    out: Annotated[Path, typer.Option("--out", help="A folder; made when missing.")],
    with_unconfirmed: Annotated[
        bool, typer.Option("--with-unconfirmed", help="Also text that nobody confirmed; never what persons did not agree to.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Export a study with what is needed to check its numbers, as far as it may leave; method.json counts the rest."""
    from core.people import looks
    from core.people.service import owner
    from core.studies.archive import records_in
    from core.studies.export import export_study

    store = the_store()
    folder = export_study(store, study_id, out, with_unconfirmed)
    looks.note_records(store, owner(store), records_in(folder), "export")
    give({"folder": str(folder)}, as_json)


@app.command("import-study")
@readable
def import_study_(
    folder: Annotated[Path, typer.Argument(help="The folder that export wrote.")], as_json: AsJson = False
) -> None:
    """Bring an exported study in, from this machine or another; its numbers stay the same."""
    from core.studies.importing import import_study

    study = import_study(the_store(), folder)
    give({"study": study.id, "name": study.name}, as_json)


@app.command()
@readable
def demo(
    size: Annotated[str, typer.Option(help="small or paper")] = "small",
    language: Annotated[str, typer.Option(help="en or zh")] = "en",
    as_json: AsJson = False,
) -> None:
    """Run the demo study with the embedded engine (rules, no model)."""
    from core.studies.demo import load_demo
    from core.studies.service import status

    store = the_store()
    give(status(store, load_demo(store, language, size, wait=True)), as_json)


@app.command()
@readable
def doctor(as_json: AsJson = False) -> None:
    """Check this installation and say what is amiss."""
    from core.commands.doctor import examine

    give(
        examine(), as_json, lambda result: "\n".join(f"{c['check']}: {c['found']}" for c in result["checks"])
    )


def main() -> None:
    app(prog_name="rapport")


if __name__ == "__main__":
    main()
