"""Models and agents: which engine speaks and judges, and where text goes."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.errors import DataError, WorkbenchError
from core.llm import agents, engines, gate, keys, probing
from core.llm.asking import now
from core.prompting import catalogue
from core.studies import own
from pages.components import badges, endpoints, engine_note, layout, resources
from pages.components.words import _, language, many, plain
from storage import tables
from storage.store import Store

SEATS = ("counselor", "client", "judge", "writer")
SAMPLING = {
    "counselor": (0.7, 0.9, 512),
    "client": (0.7, 0.9, 512),
    "judge": (1.0, 1.0, 1024),
    "writer": (0.7, 1.0, 4096),
}


def seat_names() -> dict[str, str]:
    return {
        "counselor": _("Counselor"), "client": _("Client"), "judge": _("Judge"), "writer": _("Writer"),
    }  # fmt: skip


def demo_card() -> None:
    with st.container(border=True):
        layout.card_title(_("Demo engine (rules, no model)"), icon="rule")
        st.text(
            _(
                "It is built in, needs no key and no network, and is used unless you choose something else. It counts "
                "and rephrases by rules: good for trying everything out, never a finding about a model."
            )
        )
        badges.row([badges.local(True)])
        engine_note.link()


def endpoint_card(store: Store, row: tables.Endpoint) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            layout.card_title(row.name, icon="neurology")
            badges.draw(badges.endpoint(row))
        layout.facts(
            [
                (_("Address"), gate.shown(row.base_url)),
                (_("Model"), row.model),
                (_("Way"), endpoints.way_words(row)),
                (_("Key"), endpoints.key_words(row)),
                (_("Learned"), endpoints.learned_words(row)),
            ]
        )
        if endpoints.is_open(row):
            allow_http(store, row)
        with st.container(horizontal=True):
            if st.button(_("Test connection"), key=f"models_test_{row.id}", icon=":material/network_check:"):
                test(store, row)
            with st.popover(_("Type the key"), icon=":material/key:"):
                type_key(row)
            with st.popover(_("What is sent"), icon=":material/visibility:"):
                show_request(row)
        for check in st.session_state.get(f"models_checks_{row.id}", ()):
            said = plain(endpoints.step_words(check))
            st.badge(
                said,
                icon=":material/check:" if check.good else ":material/close:",
                color="green" if check.good else "red",
            )
            layout.muted(endpoints.seen_words(check))


def allow_http(store: Store, row: tables.Endpoint) -> None:
    """Unencrypted, and outside: nothing is sent unless a person insists."""
    allowed = endpoints.http_allowed(row)
    insisted = st.checkbox(_("Send over plain http all the same"), allowed, key=f"models_http_{row.id}")
    layout.notice(_("This address is not encrypted: text and key can be read on the way there."), "warning")
    if insisted != allowed:
        engines.allow_http(store, row.id or 0, insisted)
        st.rerun()


def test(store: Store, row: tables.Endpoint) -> None:
    """The list of models, one short call, one structured call; no text of anyone is sent."""
    with st.spinner(_("Asking {name} …").format(name=plain(row.name))):
        try:
            engine = engines.endpoint_engine(store, row, resources.keys())
            st.session_state[f"models_checks_{row.id}"] = now(probing.check_endpoint(engine))
        except WorkbenchError as error:
            layout.problem(error)


def type_key(row: tables.Endpoint) -> None:
    typed = st.text_input(
        _("Key for {name}").format(name=plain(row.name)),
        type="password",
        key=f"models_key_{row.id}",
        autocomplete="off",
    )
    layout.muted(
        _(
            "It is kept in the memory of this browser session only, and sent to {url} and nowhere else."
        ).format(url=gate.shown(row.base_url))
    )
    if st.button(_("Use this key"), key=f"models_use_{row.id}"):
        try:
            endpoints.use_key(row, typed)
        except WorkbenchError as error:
            layout.problem(error)
            return
        st.rerun()


def show_request(row: tables.Endpoint) -> None:
    layout.muted(_("The connection test sends exactly these words, and nothing of anyone's records:"))
    question = probing.probe_question("Reply with the single word: ready", None)
    st.json(
        {
            "POST": f"{gate.shown(row.base_url).rstrip('/')}/chat/completions",
            "model": row.model,
            "messages": [{"role": m.role, "content": m.content} for m in question.messages],
            "max_tokens": question.settings.max_tokens,
        }
    )


def add_endpoint(store: Store) -> None:
    layout.section(_("Add an endpoint"))
    known = {preset["name"]: preset for preset in endpoints.presets()}
    with st.container(border=True):
        chosen = st.selectbox(
            _("Starting point"),
            [*known, ""],
            format_func=lambda name: name or _("Something else that is OpenAI-compatible"),
            key="models_preset",
            persist_state="session",
        )
        preset = known.get(chosen or "", {"base_url": "", "key_env": "", "name": ""})
        if chosen:
            layout.muted(endpoints.mind(preset))
        with st.form("models_add", border=False):
            grid = st.grid(2, min_column_width=255)
            with grid.cell():
                url = st.text_input(_("Address (base URL)"), preset["base_url"], key=f"models_url_{chosen}")
                model = st.text_input(
                    _("Model"), key="models_model", placeholder=_("As the provider names it")
                )
            with grid.cell():
                name = st.text_input(
                    _("Name here"),
                    key="models_name",
                    placeholder=_("The provider and the model, unless you say otherwise"),
                )
                variable = st.text_input(
                    _("Environment variable with the key"),
                    preset["key_env"],
                    key=f"models_env_{chosen}",
                    help=_(
                        "Its name is stored, never what is in it. Leave it empty to type the key, or for none."
                    ),
                )
            typed = st.text_input(
                _("Or the key itself, for this browser session only"),
                type="password",
                key="models_key",
                autocomplete="off",
            )
            insisted = ask_about_http(url)
            saved = st.form_submit_button(_("Save endpoint"), key="models_save", type="primary")
        if saved:
            named = name or f"{preset['name']} {model}".strip()
            save_endpoint(store, named, url, model, variable, typed, insisted)


def ask_about_http(url: str) -> bool:
    """A tick box for the address that was just refused because it is not encrypted, and for no other."""
    refused = st.session_state.get("models_open")
    if not refused or refused != url.strip():
        return False
    words = _(
        "{url} is not encrypted (http): text and key can be read on the way. Use https, or tick the box."
    )
    layout.notice(words.format(url=refused), "warning")
    return st.checkbox(_("Send over plain http all the same"), key=f"models_insist_{refused}")


def save_endpoint(
    store: Store, name: str, url: str, model: str, variable: str, typed: str, insisted: bool = False
) -> None:
    try:
        typed = keys.check_key(typed, name or model or gate.shown(url))
        row = engines.add_endpoint(store, name, url, model, "" if typed else variable, insisted)
    except engines.OpenAddress as error:
        st.session_state["models_open"] = str(error.values["url"])
        st.rerun()
    except WorkbenchError as error:
        layout.problem(error)
        return
    if typed:
        resources.keys()[row.base_url] = typed
    st.session_state.pop("models_open", None)
    st.session_state["models_done"] = _("Saved: {name}. Test the connection next.").format(name=row.name)
    st.rerun()


def servers_here(store: Store) -> None:
    """Look for servers on this machine, only when asked to."""
    layout.muted(_("Servers on this machine are looked for only when you ask."))
    if st.button(_("Look for servers on this machine"), key="models_look", icon=":material/search:"):
        with st.spinner(_("Knocking at the usual addresses …")):
            here = [p["base_url"] for p in endpoints.presets() if p.get("local")]
            st.session_state["models_found"] = now(probing.listening(here))
    found: dict[str, list[str]] | None = st.session_state.get("models_found")
    if found == {}:
        st.text(_("None answered at the usual addresses (Ollama, LM Studio, llama.cpp, vLLM)."))
    names = {p["base_url"]: p["name"] for p in endpoints.presets()}
    for url, models in (found or {}).items():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            model = st.selectbox(
                plain(f"{names[url]} · {url}"),
                models,
                key=f"models_found_{names[url]}",
                accept_new_options=not models,
            )
            if st.button(_("Add"), key=f"models_add_{names[url]}"):
                save_endpoint(store, f"{names[url]} {model or ''}".strip(), url, model or "", "", "")


def agent_table(store: Store) -> None:
    places = {row.id: row for row in store.endpoints.all()}
    named = seat_names()
    st.dataframe(
        [
            {
                _("Agent"): resources.agent_name(agent),
                _("Seat"): named.get(agent.seat, agent.seat),
                _("Released"): agent.released,
                _("Engine"): badges.engine_words(
                    agent.engine, places[agent.endpoint_id].name if agent.endpoint_id in places else ""
                ),
                _("Prompt"): agent.prompt,
                _("Settings"): settings_words(agent.settings),
                _("Identity"): agent.hash,
            }
            for agent in store.agents.all()
        ],
        hide_index=True,
        key="models_agents",
    )
    layout.muted(
        _(
            "An agent is an engine, a prompt and settings. Its identity is a hash over these: change one, and it is another agent."
        )
    )


def release(store: Store) -> None:
    """Which judges counselors may have their own sessions rated by."""
    judges = {agent.id: agent for agent in store.agents.all(seat="judge")}
    known = [id for id, agent in judges.items() if agent.released]
    layout.section(_("Released for counselors"))
    with st.container(border=True):
        layout.muted(_("Counselors may have their own sessions rated by these judges; where a judge is outside, only what everybody agreed to goes there, and its cost is yours."))
        picked = st.multiselect(
            _("Judges"), list(judges), default=known, format_func=lambda id: resources.agent_name(judges[id]),
            placeholder=_("Choose"), key="models_released",
        )  # fmt: skip
        if st.button(_("Save"), key="models_release", icon=":material/save:"):
            for id in judges:
                if (id in picked) != (id in known):
                    own.release(store, resources.person(), id or 0, id in picked)
            st.session_state["models_done"] = _("Saved. Counselors may use the judges that are released.")
            st.rerun()


def settings_words(settings: Mapping[str, Any]) -> str:
    names = {"temperature": _("temperature"), "top_p": "top-p", "max_tokens": _("tokens at most")}
    return _(", ").join(
        f"{label} {settings[name]}" for name, label in names.items() if settings.get(name) is not None
    )


def prompts_for(seat: str) -> list[str]:
    """Prompts an agent in this seat can speak by; judges and writers use all of their stage."""
    if seat in ("judge", "writer"):
        return [{"judge": "judge", "writer": "report"}[seat]]
    return [id for id, languages in catalogue() if id.startswith(f"{seat}/") and language() in languages]


def make_agent(store: Store) -> None:
    layout.section(_("Make an agent"))
    named = seat_names()
    places: dict[int, tables.Endpoint | None] = {0: None}
    places |= {row.id or 0: row for row in store.endpoints.all()}
    ids: list[int] = sorted(places)

    def engine_name(id: int) -> str:
        row = places[id]
        return row.name if row else badges.engine_words("demo")

    with st.container(border=True):
        grid = st.grid(2, min_column_width=255)
        with grid.cell():
            seat = st.segmented_control(
                _("Seat"),
                SEATS,
                default="counselor",
                required=True,
                format_func=lambda s: named[s],
                key="models_seat",
            )
            place = st.selectbox(_("Engine"), ids, format_func=engine_name, key="models_engine")
            options = prompts_for(seat)
            prompt = st.selectbox(_("Prompt"), options, key=f"models_prompt_{seat}")
        with grid.cell():
            settings = sampling(seat, bool(place))
        name = st.text_input(_("Name"), key="models_agent_name", max_chars=80)
        if st.button(_("Make the agent"), key="models_make", type="primary"):
            try:
                if not prompt:
                    raise DataError("Choose a prompt for the agent first; nothing was saved.")
                agents.save_agent(store, name, seat, prompt, places[place or 0], settings)
            except WorkbenchError as error:
                layout.problem(error)
                return
            st.session_state["models_done"] = _("Made: {name}.").format(name=name.strip())
            st.rerun()


def sampling(seat: str, is_model: bool) -> dict[str, Any]:
    """Sampling settings of a model; the demo engine has none."""
    if not is_model:
        layout.muted(_("The demo engine follows its rules and a seed; it has no sampling settings."))
        return {}
    temperature, top_p, tokens = SAMPLING[seat]
    given = {
        "temperature": st.number_input(
            _("Temperature"), 0.0, 2.0, temperature, 0.1, key=f"models_temperature_{seat}"
        ),
        "top_p": st.number_input("Top-p", 0.0, 1.0, top_p, 0.05, key=f"models_top_p_{seat}"),
        "max_tokens": st.number_input(
            _("Tokens at most"), 16, 32_000, tokens, 16, key=f"models_tokens_{seat}"
        ),
    }
    layout.muted(_("A setting the model refuses is left out, and the record says so."))
    return given


def in_use(store: Store) -> list[badges.Badge]:
    rows = store.endpoints.all()
    outside = [row.name for row in rows if not endpoints.stays(row.base_url)]
    shown = (
        [badges.engine("demo")]
        if not rows
        else [badges.fact(many("{n} endpoint", "{n} endpoints", len(rows)), "hub")]
    )
    return [*shown, badges.local(not outside, ", ".join(outside))]


store = resources.store()
resources.require("endpoints")
layout.title(
    _("Models and agents"),
    _("Who speaks and who judges. Without any entry here everything runs on this machine, by rules."),
    in_use(store),
)
view = st.segmented_control(
    _("Show"),
    ("endpoints", "agents"),
    default="endpoints",
    required=True,
    format_func=lambda v: {"endpoints": _("Engines"), "agents": _("Agents")}[v],
    key="models_view",
    label_visibility="collapsed",
    persist_state="session",
)
if done := st.session_state.pop("models_done", ""):
    layout.notice(done)
if view == "agents":
    agent_table(store)
    release(store)
    make_agent(store)
else:
    demo_card()
    for row in store.endpoints.all():
        endpoint_card(store, row)
    add_endpoint(store)
    servers_here(store)
