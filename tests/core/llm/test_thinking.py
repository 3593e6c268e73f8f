"""What a model thinks aloud is no part of its answer, whichever way its maker marks it."""

import json
import time

import pytest

from core.judging.replies import ItemRating
from core.llm.parsing import read_reply

SAID = "That sounds hard."
# One reply for each way that chat templates and servers mark thinking.
AROUND = {
    "both tags": "<think>warm, I should be</think>{said}",
    "after the words": "{said}\n<think>was that warm?</think>",
    "on both sides": "<think>a</think>{said}<think>b</think>",
    "the opening tag stood in the prompt": "Okay, the user is a client; I should be warm.\n</think>\n\n{said}",
    "only an end, twice": "one</think>two</think>{said}",
    "a tag named in its own thinking": "<think>I could write <think> here</think>{said}",
    "thinking": "<thinking>a</thinking>{said}",
    "two names of one kind": "<think>a</thinking>{said}",
    "reasoning": "<reasoning>a <think>b</think> c</reasoning>\n{said}",
    "reason": "<reason>a</reason>{said}",
    "thought": "<thought>\na</thought>{said}",
    "capitals and an attribute": '<Thought time="3s">a</Thought>{said}',
    "reflection inside": "<thinking>a<reflection>b</reflection>c</thinking>{said}",
    "scratchpad": "<scratchpad>a</scratchpad>{said}",
    "seed": "<seed:think>a<seed:cot_budget_reflect>b</seed:cot_budget_reflect></seed:think>{said}",
    "mistral": "[THINK]a[/THINK]{said}",
    "small brackets": "[thinking]a[/thinking]{said}",
    "kimi": "◁think▷a◁/think▷{said}",
    "open thoughts": "<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>{said}<|end_of_solution|>",
    "cohere": "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>{said}<|END_RESPONSE|>",
    "apertus": "<|inner_prefix|>a<|inner_suffix|>{said}",
    "solar": "<|think|>a<|end|><|begin|>assistant<|content|>{said}<|end|>",
    "chinese": "<思考>我应该温和一些</思考>{said}",
    "wide brackets": "＜think＞a＜/think＞{said}",
    "harmony": "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{said}<|return|>",
    "harmony with a comment": "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b<|end|>"
    "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{said}",
    "harmony without its marks": "analysisWe need a warm line.assistantfinal{said}",
    "gemma": "<|channel>thought\na<channel|>{said}",
    "granite": "Here is my thought process:\na\n\nHere is my response: {said}",
    "apriel": "Here are my reasoning steps:\na\n[BEGIN FINAL RESPONSE]{said}[END FINAL RESPONSE]",
    "huatuo": "## Thinking\n\na\n\n## Final Response\n\n{said}",
    "answer tags": "<think>a</think>\n<answer>{said}</answer>",
    "answer tags alone": "Let me be warm.\n<answer>{said}</answer>",
    "a planner": "<planner>a</planner>{said}",
    "notes": "<notes>be warm</notes>\n{said}",
    "internal": "<internal>a</internal>{said}",
    "brainstorm": "<brainstorm>a</brainstorm>{said}",
    "internal after the words": "{said}\n<internal>a</internal>",
    "one step after another": "<step>a</step>\n<step>b</step>\n{said}",
    "a tag in itself": "<assessment>a<assessment>b</assessment>c</assessment>{said}",
    "a tag nobody knows": "<Formulierung 1>a</Formulierung>{said}",
    "an unknown tag around a known one": "<consider>a<think>b</think>c</consider>{said}",
    "an unknown tag before a known one": "<strategy>a</strategy><think>b</think>{said}",
    "a known tag before an unknown one": "<think>b</think><strategy>a</strategy>{said}",
    "an answer drafted in an unknown tag": "<strategy>a <answer>b</answer></strategy>{said}",
    "a summary to unfold": "<details><summary>Thinking</summary>a</details>\n{said}",
    "escaped": "&lt;think&gt;a&lt;/think&gt;\n{said}",
    "escaped by number": "&#60;planner&#62;a&#60;/planner&#62;{said}",
    "a comment": "<!-- be warm -->{said}",
    "a fence": "```thinking\na\n```\n{said}",
    "a fence of another name": "~~~plan\na\n~~~\n{said}",
    "chinese inner": "<内心>a</内心>{said}",
    "angular": "‹内心›a‹/内心›{said}",
    "chinese strategy": "<回应策略>a</回应策略>{said}",
    "bold labels": "**Thinking:** be warm\n\n**Response:** {said}",
    "bold labels in one line": "**Thinking**: be warm **Response**: {said}",
    "plain labels": "Thinking: be warm\nReply: {said}",
    "chinese labels": "【思考】\n思考：温和一些\n回复：{said}".removeprefix("【思考】\n"),
    "an aside": "（思考：他很难过（真的）。）{said}",
    "an english aside": "(Internal note: be warm) {said}",
    "an aside in asterisks": "*Inner monologue: be warm*\n{said}",
}
UNCLOSED = {
    "opened": "<think>I should be warm. That sounds hard.",
    "opened after the words": "{said}<think>or should I",
    "another tag closed": "<think>a<reflection>b</reflection> and so That sounds hard.",
    "answered inside": "<think>a <answer>{said}</answer>",
    "mistral": "[THINK]{said}",
    "kimi": "◁think▷{said}",
    "seed": "<seed:think>{said}",
    "cohere": "<|START_THINKING|>{said}",
    "harmony": "<|channel|>analysis<|message|>{said}",
    "harmony without its marks": "analysisWe need a warm line. That sounds hard.",
    "gemma": "<|channel>thought\n{said}",
    "granite": "Here is my thought process: {said}",
    "huatuo": "## Thinking\n\n{said}",
    "a planner": "<planner>{said}",
    "a tag nobody knows": "<considerations>\n{said}",
    "chinese": "<回应策略>{said}",
    "internal after the words": "{said}<internal>or",
    "escaped": "&lt;think&gt;{said}",
    "a comment": "<!-- be warm. {said}",
    "a fence": "```thinking\n{said}",
    "an aside": "（思考：{said}",
}
ONLY = [
    "Thinking: be warm.\n\nThat sounds hard.",
    "**Thoughts:** be warm",
    "（思考：他很难过）",
    "(Internal note: be warm)",
    "思考：他很难过",
    "<internal>be warm</internal>",
]
GOOD = json.dumps({"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": 4})
DRAFT = GOOD.replace("4", "1")


@pytest.mark.parametrize("form", AROUND.values(), ids=AROUND.keys())
def test_thinking_is_cut_off(form: str) -> None:
    assert read_reply(form.replace("{said}", SAID), None).value == SAID


@pytest.mark.parametrize("form", AROUND.values(), ids=AROUND.keys())
def test_a_draft_in_the_thinking_is_no_rating(form: str) -> None:
    before, _, after = form.partition("{said}")
    drafted = before.replace(">a<", f">{DRAFT}<")
    assert read_reply(drafted + GOOD + after, ItemRating).value.rating == 4


@pytest.mark.parametrize("form", UNCLOSED.values(), ids=UNCLOSED.keys())
@pytest.mark.parametrize(("said", "reply"), [(SAID, None), (GOOD, ItemRating)])
def test_thinking_without_an_end_is_no_answer(form: str, said: str, reply: type[ItemRating] | None) -> None:
    reading = read_reply(form.replace("{said}", said), reply)
    assert reading.value is None
    assert "has no end" in reading.reason


@pytest.mark.parametrize("raw", ONLY)
def test_a_label_of_thinking_without_an_answer_is_no_turn(raw: str) -> None:
    assert read_reply(raw, None).value is None


@pytest.mark.parametrize(
    "said",
    [
        "<laughs> I know.",
        "<sighs deeply> It was a long week.",
        "<long silence> I don't know.",
        "<silence>",
        "<sigh>quietly</sigh> I know.",
        "<NAME>, how are you today?",
        "<b>Please</b> don't go.",
        "<client>I am tired.</client>",
        "<Reply>I hear you.</Reply>",
        "*looks away* I guess so.",
        "*thinking about it* Maybe.",
        "(sighs) It's my mother again.",
        "(thinking) I don't know.",
        "[pauses] Yes.",
        "（沉默了一会儿）我不知道。",
        "（低头思考）也许吧。",
        "【叹气】又是这样。",
        "<沉默> 我不想说。",
        "《活着》这本书我看了三遍。",
        "〈小王子〉我很喜欢。",
        "‹Bonjour›, she said.",
        "Plan: I will call her tomorrow. What do you think?",
        "I have been thinking: maybe I should leave.",
        "My reply: none. I had no answer: that's the truth.",
        "思考了很久，我还是不知道。",
        "内心很乱：一边想走，一边想留。",
        "**I** did it, not her.",
        "```text\nI wrote this down.\n``` and then I stopped.",
        "5 < 6 &lt;3 and &lt;laughs&gt; I know.",
        "[thinking] I don't know.",
        "【思考】我不知道。",
        "I think, therefore <3",
        "He said <sigh> and I was thinking > feeling.",
        "My analysis? I was wrong. The final word was hers.",
    ],
)
def test_words_that_only_look_like_thinking_are_kept(said: str) -> None:
    assert read_reply(said, None).value == said


def test_tags_in_the_strings_of_an_answer_are_its_words() -> None:
    said = GOOD.replace('"r"', '"the client writes </think> in turn 3, and <think> before"')
    for raw in (said, f"```json\n{said}\n```", f"<think>\n{DRAFT}</think>{GOOD}"):
        assert read_reply(raw, ItemRating).value.rating == 4


@pytest.mark.parametrize(
    "piece",
    [
        "<think>", "</think>", "<think", "<think ", "< ", "<|channel|>analysis", "<|channel|>", "<|channel", "[THINK]", "[/",
        "◁think▷", "Here is my response:", "analysis", "assistantfinal", "## Final Response", "<|", "<answer>", "{", "{ ", "}",
        '{"', '{"a":', '{"a":[', "[", '{"a":1}', '{"rating":1}', "`", "\\u", "\\ud800", "\ud800", " ", "\n", "\n```", "9", "the rating is ",
        "<a>", "<a></a>", "<a></a>x", "</a>", "<!--", "<!---->", "```x\n", "```x\n```\n", "（思考：", "（思考：）", "*plan: ", "*plan: * ", "Thinking: ", "\nReply:", "**Reply:", "&lt;", "&lt;a&gt;", "‹a›",
    ],
)  # fmt: skip
@pytest.mark.parametrize("reply", [None, ItemRating])
def test_the_time_to_read_grows_with_the_reply_and_not_faster(
    piece: str, reply: type[ItemRating] | None
) -> None:
    """200 kB of what is worst for a pattern; a quadratic one takes minutes here, a linear one milliseconds."""
    for raw in (piece * (200_000 // len(piece)), GOOD + " " + piece * (200_000 // len(piece))):
        before = time.process_time()
        read_reply(raw, reply)
        assert time.process_time() - before < 2
