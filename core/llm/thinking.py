"""Cutting a model's thinking off its reply.

Models that think aloud mark it in many ways: in a tag of a name like *think* or *reasoning* (DeepSeek, Qwen, GLM,
Mistral's ``[THINK]``, Seed's ``<seed:think>``, Cohere's ``<|START_THINKING|>``, Kimi's ``◁think▷``), in a channel
(gpt-oss, Gemma) or under a heading (Granite, Apriel, HuatuoGPT). Many templates open the tag in the prompt, so that
only its end is in the reply. Every pattern here is bounded: the time is linear in the reply.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["opens", "closes", "answers", "ends"]

MARK = re.compile(
    r"<\|(?P<start>start|begin)\|>(?:\s{0,3}assistant)?"
    r"|<\|channel\|?>\s{0,3}(?P<channel>\w{1,20})(?:[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>)?"
    r"|(?P<channel_end><channel\|>)"
    r"|[<＜◁][|｜]?\s?(?P<slash>/?)\s?[|｜]?(?P<name>[\w:.▁-]{1,60})(?:\s[^<>＜＞◁▷]{0,120})?(?P<alone>/?)[|｜]?[>＞▷]"
    r"|[\[【](?P<off>/?)(?P<bracket>THINK|thinking|think|thoughts?|reasoning|思考|推理)[\]】]"
)
# Kinds of thinking by a part of the tag's name; a tag is closed by one of its own kind.
THINKING = {
    "think": ("think", "thought", "思考", "思维", "思路"),
    "reason": ("reason", "rationale", "推理"),
    "reflect": ("reflect", "反思"),
    "analysis": ("analysis", "analyz", "分析"),
    "scratch": ("scratch", "monologue", "ponder", "deliberat", "draft", "brainstorm", "self_talk", "草稿", "独白"),
    "inner": ("inner_", "internal", "内心", "心理活动"),
}
WHOLE_NAMES = {"cot": "reason", "plan": "scratch", "planner": "scratch", "planning": "scratch", "inner": "inner"}
ANSWERS = (
    "answer", "final_answer", "response", "final_response", "output", "final", "solution", "begin_of_solution",
    "start_response", "content", "回答", "答案", "回复",
)  # fmt: skip
ENDS = (
    "end", "return", "call", "message", "end_response", "end_of_solution", "im_end", "eot_id", "endoftext", "s",
)  # fmt: skip
CHANNEL = "channel"
LEAKED = "assistantfinal"  # gpt-oss where the server dropped the marks themselves: analysis…assistantfinal…
LEAKED_START = re.compile(r"\s{0,20}(?:assistant)?analysis(?=[A-Z\u3400-\u9fff\"“{(])")
HEADINGS = (
    (re.compile(r"\W{0,9}here(?:['’]s| is) my thought process\b", re.I), re.compile(r"here(?:['’]s| is) my response:?", re.I)),
    (re.compile(r"\W{0,9}here are my reasoning steps\b", re.I), re.compile(r"\[BEGIN FINAL RESPONSE\]")),
    (re.compile(r"\s{0,9}#{1,4} ?thinking\b", re.I), re.compile(r"#{1,4} ?final response\b:?", re.I)),
)  # fmt: skip
FINAL_END = "[END FINAL RESPONSE]"


class Mark(NamedTuple):
    """One mark in a reply, and the kind of thinking it belongs to."""

    start: int
    end: int
    kind: Kind
    of: str = ""


def without_thinking(text: str) -> str | None:
    """What the reply says once its thinking is cut off, before, between or after the words; ``None`` when the
    thinking has no end."""
    headed = under_headings(text)
    if headed is None:
        return None
    kept: list[str] = []
    at, inside = 0, ""
    for mark in marks(headed):
        if mark.kind == "answers" and (not inside or mark.of):
            kept, inside, at = [], "", mark.end
        elif not inside:
            if mark.kind == "closes":  # its beginning stood in the prompt, so all before it is thinking
                kept = []
            else:
                kept.append(headed[at : mark.start])
            inside, at = (mark.of if mark.kind == "opens" else ""), mark.end
        elif mark.of == inside and mark.kind in ("closes", "ends"):
            inside, at = "", mark.end
    return None if inside else ("".join(kept) + headed[at:]).strip()


def marks(text: str) -> Iterator[Mark]:
    """The marks in a reply, first to last."""
    closed_later = "[/" in text or "【/" in text
    for found in MARK.finditer(text):
        kind, of = kind_of(found, closed_later)
        if kind is not None:
            yield Mark(found.start(), found.end(), kind, of)


def kind_of(found: "re.Match[str]", closed_later: bool) -> tuple[Kind | None, str]:
    """What a mark does, and to which thinking; ``None`` for a tag that has nothing to do with it."""
    if found["start"]:
        return "ends", ""
    if found["channel_end"]:
        return "closes", CHANNEL
    if found["channel"]:
        return ("answers" if found["channel"].casefold() in ANSWERS else "opens"), CHANNEL
    if found["bracket"]:
        if found["off"]:
            return "closes", family(found["bracket"].casefold())
        # "[thinking] I don't know." is how a client is said to speak, unless a closing mark follows.
        meant = closed_later or found["bracket"] == "THINK"
        return ("opens" if meant else None), family(found["bracket"].casefold())
    return kind_of_tag(unicodedata.normalize("NFKC", found["name"]).casefold(), found)


def kind_of_tag(name: str, found: "re.Match[str]") -> tuple[Kind | None, str]:
    """``<name>``, ``</name>``, ``<name/>`` and their like."""
    if of := family(name):
        if found["alone"]:
            return "ends", ""
        shut = found["slash"] or name.startswith("end_") or name.endswith(("_end", "_suffix"))
        return ("closes" if shut else "opens"), of
    if name in ANSWERS:
        special = CHANNEL if found[0].startswith("<|content") else ""
        return ("ends" if found["slash"] else "answers"), special
    return ("ends", CHANNEL) if name in ENDS and (name != "s" or found["slash"]) else (None, "")


def family(name: str) -> str:
    """The kind of thinking a tag of this name holds; empty if none."""
    for of, parts in THINKING.items():
        if any(part in name for part in parts):
            return of
    return WHOLE_NAMES.get(name, "")


def under_headings(text: str) -> str | None:
    """The reply without thinking that stands under a heading of its own; ``None`` when no answer follows it."""
    if LEAKED in text:
        return text.rpartition(LEAKED)[2]
    if LEAKED_START.match(text):
        return None
    for begins, answers in HEADINGS:
        if begins.match(text):
            found = list(answers.finditer(text))
            return text[found[-1].end() :].replace(FINAL_END, "") if found else None
    return text
