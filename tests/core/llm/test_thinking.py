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
}
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


@pytest.mark.parametrize(
    "said",
    [
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
