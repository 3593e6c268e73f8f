"""Cutting off thinking that stands at the head of a reply under no mark of a model's maker: in a tag of any name, a
comment, a code fence, brackets or under a label (``<planner>``, ``<details>``, ``**Thinking:** … **Response:** …``,
``（思考：…）``).

Ordinary speech is kept: stage directions, formatting, a speaker's name. Every pattern is bounded and every search goes
on where the last one ended: the time is linear in the reply.
"""

import re
import unicodedata

from core.llm.thinking import ANSWERS, ENDS, family, without_thinking

ESCAPED = re.compile(r"&(?:lt|#60|#x3c);(/?[^&<>\n]{1,80})&(?:gt|#62|#x3e);", re.I)
TAG = re.compile(
    r"(?P<open>[<＜‹〈])\s?(?P<slash>/?)\s?(?P<name>[^\W\d][\w:.-]{0,59})(?P<more>\s[^<>＜＞‹›〈〉]{0,120})?(?P<alone>/?)[>＞›〉]"
)
COMMENT = re.compile(r"<!--")
FENCE = re.compile(r"(?P<ticks>`{3,8}|~{3,8})[ \t]{0,3}(?P<word>[^\s`~]{1,40})[^\n`]{0,40}\n")
HOLDS_OBJECT = re.compile(r"\s{0,40}\{")
SPACE = re.compile(r"\s*")
# Tags that mark how or by whom something is said, or wrap what is said; not thinking.
SPEECH_TAGS_IN_WORDS = """
a abbr b big blockquote body br center code div em font h1 h2 h3 h4 h5 h6 hr html i li mark ol p pre q s small span
strike strong sub sup u ul agent assistant caller client counselor counsellor dialog dialogue human message patient
person reply speaker speech say system text therapist turn user utterance voice data json list object rating ratings
result results score verdict 来访者 咨询师 求助者 治疗师 用户 助手 对话 说
"""
SPEECH_TAGS = frozenset(SPEECH_TAGS_IN_WORDS.split())
STAGE = re.compile(
    r"laugh|chuckl|giggl|smil|grin|sigh|nod|paus|silen|cry|cries|crie|sob|tear|weep|breath|exhal|inhal|whisper|look|glanc|gaz"
    r"|shrug|sniff|hesitat|cough|wip|star[ei]|lean|shak|clear(?:s|ing)|(?:long|short)_?(?:silen|paus|sigh)|soft|quiet|gasp|groan|gulp|swallow|frown|winc|trembl|stutter"
    r"|murmur|mumbl|voice|sits?\b|shift|fidget|turns?\b|wav[ei]|leav|yawn|笑|叹|哭|沉默|停顿|点头|摇头|低头|抬头|泪|哽咽|犹豫|咳|深呼吸|安静|看|望|轻声|小声|皱眉|耸肩"
)
SPOKEN_FENCES = frozenset(["json", "json5", "jsonc", "text", "txt", "plaintext", "plain", "markdown", "md"])
THINKING_LABEL = (
    r"(?:my )?(?:thinking|thoughts?|thought process|thinking process|reasoning|chain of thought|(?:internal|inner) (?:\w{1,12} )?"
    r"(?:note|notes|monologue|thoughts?|thinking|voice|reasoning|reflection|plan|dialogue)"
    r"|(?:我的)?(?:内心|内部)?(?:思考|思路|思维)(?:过程)?|内心(?:独白|想法|活动|os)?|心理活动|推理(?:过程)?)"
)
ASIDE_LABEL = rf"(?:{THINKING_LABEL}|analysis|plan|strategy|reflection|分析|计划|策略|反思)"
LABEL = re.compile(
    rf"[*_#> \t]{{0,8}}(?:(?P<sure>{THINKING_LABEL})|{ASIDE_LABEL})[ \t]?[*_]{{0,3}}[ \t]?[:：]", re.I
)
ANSWER_LABEL = re.compile(
    r"(?:^|(?<=\n)|(?<=[*_#]))[*_#> \t]{0,6}(?:(?:my |the )?(?:final |actual |spoken )?(?:response|reply|answer|output)"
    r"|(?:我的|正式|最终)?(?:回复|回答|答复|回应|输出))[ \t]?[*_]{0,3}[ \t]?[:：][*_]{0,3}",
    re.I,
)
ASIDE = re.compile(rf"(?P<open>[（(\[【〔]|[*_]{{1,3}}) ?{ASIDE_LABEL} ?[:：](?![*_])", re.I)
CLOSES = {"（": "）)", "(": ")）", "[": "]", "【": "】", "〔": "〕"}


def answer_in(text: str, *, spoken: bool) -> str | None:
    """What a reply says once all its thinking is cut off; ``None`` when the thinking has no end.

    ``spoken``: the reply is a turn, not an object; then a label of thinking needs its counterpart, too.
    """
    plain = ESCAPED.sub(r"<\1>", text)
    said = _cut(plain, spoken)
    return text.strip() if said == plain.strip() else said


def _cut(text: str, spoken: bool) -> str | None:
    at = past_openings(text)
    said = without_thinking(
        text[at or 0 :]
    )  # an end may stand without its beginning, or thinking be marked inside
    if said is None:
        return None
    again = past_openings(said)
    return None if again is None else past_label(said[again:].strip(), spoken)


def past_openings(text: str) -> int | None:
    """Where the reply begins after the thinking at its head; ``None`` when that has no end."""
    at = _space(text, 0)
    while (end := past_one(text, at)) is not None and end > at:
        at = _space(text, end)
    return end


def past_one(text: str, at: int) -> int | None:
    """The end of one piece of thinking that begins at ``at`` (``at`` itself if none does); ``None`` if it has no end."""
    if COMMENT.match(text, at):
        end = text.find("-->", at)
        return end + 3 if end >= 0 else None
    if aside := ASIDE.match(text, at):
        return past_aside(text, aside)
    if fence := FENCE.match(text, at):
        return past_fence(text, fence)
    tag = TAG.match(text, at)
    return past_tag(text, tag) if tag and not tag["slash"] and not tag["alone"] else at


def past_tag(text: str, tag: "re.Match[str]") -> int | None:
    name = _name(tag)
    marked = tag["open"] not in "‹〈" and (family(name) or name in ANSWERS or name in ENDS)  # cut as a mark
    if marked or name in SPEECH_TAGS or STAGE.match(name):
        return tag.start()
    depth = 1
    for other in TAG.finditer(text, tag.end()):
        if _name(other) == name and not other["alone"]:
            depth += -1 if other["slash"] else 1
        if not depth:
            return other.end() if _space(text, other.end()) < len(text) else tag.start()
    return tag.start() if _may_be_said(tag) else None


def _may_be_said(tag: "re.Match[str]") -> bool:
    """Whether a tag that is never closed can stand in speech: ``<NAME>`` for a name, ``<long silence>``."""
    return tag["open"] in "‹〈" or bool(tag["more"]) or tag["name"].isupper()


def past_fence(text: str, fence: "re.Match[str]") -> int | None:
    word = fence["word"].casefold()
    if word in SPOKEN_FENCES or (not family(word) and HOLDS_OBJECT.match(text, fence.end())):
        return fence.start()
    end = text.find("\n" + fence["ticks"], fence.end() - 1)
    after = end + 1 + len(fence["ticks"])
    if end >= 0 and _space(text, after) < len(text):
        return after
    return None if family(word) else fence.start()


def past_aside(text: str, aside: "re.Match[str]") -> int | None:
    opened = aside["open"]
    if opened not in CLOSES:
        end = text.find(opened, aside.end())
        return end + len(opened) if end >= 0 else None
    depth = 1
    for at in range(aside.end(), len(text)):
        depth += CLOSES.get(text[at]) == CLOSES[opened]
        depth -= text[at] in CLOSES[opened]
        if not depth:
            return at + 1
    return None


def past_label(text: str, spoken: bool) -> str | None:
    """The reply after ``Response:``, where it begins with ``Thinking:``; of an object the object is the answer."""
    label = LABEL.match(text)
    if not label:
        return text
    answers = list(ANSWER_LABEL.finditer(text, label.end()))
    if answers:
        return text[answers[-1].end() :].strip()
    return None if spoken and label["sure"] else text


def _name(tag: "re.Match[str]") -> str:
    return unicodedata.normalize("NFKC", tag["name"]).casefold()


def _space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at
