"""How a study stands: its progress, what failed and why, what it cost, and what a person can do now."""

import streamlit as st

from core import sentences
from core.errors import WorkbenchError
from core.studies import service, versions
from core.studies.progress import ANSWERED, Failure, Standing, standing
from core.studies.worker import doing
from pages.components import badges, layout, resources, study_money
from pages.components.reasons import reason_words
from pages.components.words import _, many, plain, say
from storage import units
from storage.store import Store

MOVING = ("running", "stopping")


def kind_names() -> dict[str, str]:
    return {
        "role": _("Roles"), "session": _("Sessions"), "note": _("Notes"), "dialogue": _("Dialogues"),
        "comparison": _("Comparisons"), "rating": _("Ratings"),
    }  # fmt: skip


def state_names() -> dict[str, str]:
    return {
        "planned": _("Planned"), "running": _("Running"), "stopping": _("Stopping"), "stopped": _("Stopped"),
        "needs the key": _("Needs the key"), "over budget": _("At its budget"), "failed": _("Stopped by a failure"),
        "finished": _("Finished"),
    }  # fmt: skip


def what_happened(failure: Failure) -> tuple[str, str]:
    """A reason's code as what happened and what to do."""
    again = _("Retry; nothing answered is asked again.")
    shorter = _("Use shorter sessions, or a model with a longer context.")
    other_judge = _("Retry, or choose another judge.")
    words = {
        "busy": (_("The endpoint was too busy"), again), "server": (_("The endpoint had a fault"), again),
        "timeout": (_("No answer came in time"), again), "malformed": (_("The answer's form was broken"), again),
        "stream": (_("The answer broke off"), again), "unfinished": (_("The answer did not say how it ended"), again),
        "unreachable": (_("The endpoint could not be reached"), again),
        "empty": (_("The answer was empty"), again), "too_long": (_("The text is too long for the model"), shorter),
        "filtered": (_("A content filter stopped it"), other_judge),
        "refused": (_("The endpoint refused the request"), _("Test the connection on Models and agents, then retry.")),
        "gate": (_("The text may not leave this machine"), _("Confirm its masking, or choose a local model.")),
        "consent": (_("Somebody in the session did not agree, or withdrew"), _("These are not asked again while that is so. The study goes on with the rest.")),
        "missing": (_("The judge left it out"), other_judge), "cut": (_("The answer was cut at its longest"), _("Allow more tokens for an answer, then retry.")),
        "unreadable": (_("The answer could not be read"), other_judge),
        "off_scale": (_("The rating was not on the scale"), other_judge),
        "record": (_("What it needs is missing"), _("See the example, mend its source, then retry.")),
        "fault": (_("A fault in Rapport itself"), _("Retry; if it comes again, report what the example names.")),
    }  # fmt: skip
    return words.get(failure.code, (_("Something else"), _("See the example, then retry.")))


def draw(study_id: int) -> None:
    """The study as it stands, looking again each second and a half while it runs."""
    state = resources.store().studies.get(study_id).state
    st.fragment(look, run_every=1.5 if state in MOVING else None)(study_id, state)


def look(study_id: int, drawn_as: str) -> None:
    store = resources.store()
    keep_working(store, study_id)
    study = store.studies.get(study_id)
    if study.state != drawn_as:
        st.rerun()
    found = standing(store, study, doing(store, study_id))
    state = state_names().get(study.state, study.state)
    if study.state == "finished" and found.counts["gone"] and not found.answered:
        state = _("Nothing is left to read")
    badges.row([
        badges.running(state) if study.state in MOVING else badges.fact(state, "flag"),
        badges.engine(study.engine),
    ])  # fmt: skip
    if study.reason and units.going_on(store).get(study_id) is None:  # else the sentence below says what goes on
        layout.notice(say(sentences.read(study.reason)), "warning")
    if study.state == "needs the key":
        ask_for_keys(found)
    if study.state in ("over budget", "planned") and (study.budget is not None or study.state == "over budget"):
        study_money.budget(study)
    progress(found)
    figures(found)
    remarks(found)
    why(found)
    buttons(found)


def keep_working(store: Store, study_id: int) -> None:
    """Start a worker that died again while its study runs; one that cannot live is given up."""
    if store.studies.get(study_id).state in MOVING:
        try:
            service.start_worker_if_needed(store)
        except WorkbenchError as error:
            layout.problem(error)


def progress(found: Standing) -> None:
    """A bar for each kind of work: what was answered, and beside it in words what was not."""
    order = list(kind_names())
    for kind, by_state in sorted(found.kinds.items(), key=lambda one: order.index(one[0]) if one[0] in order else len(order)):
        total = sum(by_state.values())
        answered = sum(by_state.get(state, 0) for state in ANSWERED)
        rest = _(", ").join(words.format(n=f"{by_state[state]:,}") for state, words in rest_words().items() if by_state.get(state))
        words = _("{kind}: {ended} of {total} ({rest})") if rest else _("{kind}: {ended} of {total}")
        st.progress(answered / max(1, total), text=words.format(
            kind=kind_names().get(kind, kind), ended=f"{answered:,}", total=f"{total:,}", rest=rest))  # fmt: skip


def rest_words() -> dict[str, str]:
    """Units that ended without an answer, by their state."""
    return {"unscored": _("{n} unscored"), "failed": _("{n} failed"), "refused": _("{n} without consent"), "gone": _("{n} gone")}


def figures(found: Standing) -> None:
    counts, sums = found.counts, found.figures
    left = found.seconds_left
    cost = _("not known") if sums.unpriced else f"${sums.cost:,.2f}"
    budget = found.study.budget
    under = _("{n} reused, {u} unscored, {f} failed").format(n=counts["reused"], u=counts["unscored"], f=counts["failed"])
    if counts["refused"]:
        under += _(", {n} without consent").format(n=f"{counts['refused']:,}")
    if counts["gone"]:
        under += _(", {n} gone").format(n=f"{counts['gone']:,}")
    cells = [
        ("task_alt", _("Units ended"), f"{found.ended:,}", under),
        ("forum", _("Calls"), f"{sums.calls:,}", many("{n} asked twice", "{n} asked twice", found.asked_twice)),
        ("speed", _("Calls a second"), f"{found.pace:.1f}", _("about {n} min left").format(n=max(1, round(left / 60)))
         if left is not None else _("not running")),
        ("payments", _("Cost"), cost, _("of ${n}").format(n=f"{budget:,.2f}") if budget is not None else
         _("{a} tokens in, {b} out").format(a=f"{sums.tokens_in:,}", b=f"{sums.tokens_out:,}")),
    ]  # fmt: skip
    grid = st.grid(4, min_column_width=190, border=True)
    for icon, label, value, under in cells:
        with grid.cell():
            layout.figure(icon, label, value, under)


def remarks(found: Standing) -> None:
    """What has to be known beside the figures: answers of more than one model, and counts that are estimated."""
    if found.two_models:
        words = _("Answered under more than one model name: {names}. Compare them before you pool their answers.")
        layout.notice(words.format(names=_("; ").join(found.two_models)), "warning")
    if found.none_read and not found.waiting:
        layout.notice(_("None of {n} could be read. Try a few before asking all again.").format(n=f"{found.none_read:,}"), "warning")
    if found.gaps.units:
        words = many("{n} item of units that are done could not be read", "{n} items of units that are done could not be read", found.gaps.items)
        layout.muted(_("{what}; asking again asks for these only.").format(what=words))
    if gone := found.counts["gone"]:
        layout.muted(many("{n} unit is gone: what it worked on was deleted.", "{n} units are gone: what they worked on was deleted.", gone))
    if found.figures.estimated:
        layout.muted(_("Some token counts are estimated: the server did not report them."))


def why(found: Standing) -> None:
    """What failed or stayed unscored, by its reason."""
    if not found.failures:
        return
    layout.section(_("What did not work"))
    for failure in found.failures:
        happened, to_do = what_happened(failure)
        with st.container(border=True, gap="xsmall"):
            layout.card_title(happened, over=many("{n} unit", "{n} units", failure.count))
            st.text(to_do)
            if failure.example:
                layout.muted(_("Example: {words}").format(words=reason_words(failure.example)))


def ask_for_keys(found: Standing) -> None:
    """A field for each endpoint of the study; the key goes to this browser session and the worker, nowhere else."""
    for endpoint in service.endpoints_of(resources.store(), found.study.id or 0):
        key = st.text_input(plain(_("Key for {url}").format(url=endpoint.base_url)), type="password", key=f"studies_key_{endpoint.id}")
        if key:
            resources.keys()[endpoint.base_url] = key
    layout.muted(_("You can enter the key right here. Then choose Resume. It is kept in memory only, until the study ends."))


def buttons(found: Standing) -> None:
    store, study, id = resources.store(), found.study, found.study.id or 0
    redo = found.redo
    if study.origin == "elsewhere":
        layout.muted(_("Brought in from another workbench: read and export it here. To run it, download its design and start a study with it."))
        return
    if study.state not in MOVING and (found.waiting or redo) and begun_otherwise(found):
        return
    try:
        with st.container(horizontal=True):
            if study.state == "running" and st.button(_("Stop"), key="studies_stop", icon=":material/stop:"):
                service.stop(store, id)
                st.rerun()
            if study.state not in MOVING and found.waiting:
                words = _("Start") if study.state == "planned" else _("Resume")
                if st.button(words, key="studies_start", type="primary", icon=":material/play_arrow:"):
                    service.start(store, id, resources.keys())
                    st.rerun()
            if study.state not in MOVING and redo:
                words = many("Ask {n} unit again", "Ask {n} units again", redo)
                if st.button(words, key="studies_retry", icon=":material/replay:"):
                    service.retry(store, id, keys=resources.keys())
                    st.rerun()
    except WorkbenchError as error:
        layout.problem(error)


def begun_otherwise(found: Standing) -> bool:
    """Whether the study was begun with another version of an instrument: then why it is not continued, and one button: to
    begin it as a new study, or to open the one that goes on with it.
    """
    store, study, id = resources.store(), found.study, found.study.id or 0
    try:
        versions.check(store, id, "open")
        versions.check(store, id, "redo")
    except versions.OtherVersion as error:
        if not study.reason or say(sentences.read(study.reason)) != say(error):
            layout.notice(say(error), "warning")
        if (new := units.going_on(store).get(id)) is not None:
            if st.button(_("Open study {n}").format(n=new), key="studies_newer", icon=":material/arrow_forward:"):
                open_study(new)
        elif st.button(_("Begin it as a new study"), key="studies_anew", type="primary", icon=":material/restart_alt:"):
            begin_anew(store, id)
        return True
    except WorkbenchError as error:
        layout.problem(error)
    return False


def begin_anew(store: Store, id: int) -> None:
    """The same plan with the instruments of today, opened on this page."""
    try:
        study = service.begin_anew(store, id, resources.person())
    except WorkbenchError as error:
        layout.problem(error)
        return
    open_study(study.id or 0)


def open_study(id: int) -> None:
    st.query_params["study"] = str(id)
    st.session_state.pop("studies_study", None)
    st.rerun()
