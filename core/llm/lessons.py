"""What an endpoint refuses: tried at once for the question that met it, kept only when that question succeeds.

One refusal proves little (one text may be too long, one proxy may have coughed); that the same question went through
without the setting proves that the setting was the trouble.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

FORMATS = ("json_schema", "json_object", "prompt")
MOST = 8  # settings that may be refused before we give up on one question
Learned = dict[str, Any]


class Lessons:
    """What is known of one endpoint, and what is being tried for questions on their way.

    Args:
        learned: *format*, *limit_name*, *dropped*; changed in place, and given to ``on_learn`` when it grows.
    """

    def __init__(self, learned: Learned, on_learn: Callable[[], None]) -> None:
        self.learned, self.on_learn = learned, on_learn
        self.trying: dict[Hashable, Learned] = {}

    def known_for(self, question: Hashable) -> Mapping[str, Any]:
        """What holds for this question: what was learned, and what is being tried."""
        return self.trying.get(question, self.learned) if self.trying else self.learned

    def refused(self, question: Hashable, setting: str, sent: Mapping[str, Any]) -> None:
        """Next time without it: step down the reply formats, rename the token limit, or drop the setting."""
        self.trying[question] = tried(self.trying.get(question, self.learned), setting, sent)

    def certain(self, question: Hashable) -> None:
        """The question went through: keep what was tried for it."""
        found = self.trying.pop(question, None)
        if found is None:
            return
        before = dict(self.learned)
        self.learned |= joined(before, found)
        if self.learned != before:
            self.on_learn()

    def wrong(self, question: Hashable) -> None:
        """It failed in another way: nothing is known."""
        self.trying.pop(question, None)


def tried(known: Mapping[str, Any], setting: str, sent: Mapping[str, Any]) -> Learned:
    """What is known, and one refusal more."""
    next_ = dict(known)
    if setting == "response_format":
        next_["format"] = FORMATS[FORMATS.index(sent["response_format"]["type"]) + 1]
    elif setting == "max_tokens":
        next_["limit_name"] = "max_completion_tokens"
    else:
        next_["dropped"] = sorted({*known.get("dropped", ()), setting})
    return next_


def joined(known: Mapping[str, Any], found: Mapping[str, Any]) -> Learned:
    """Both together: questions under way together learn the same, and none takes back what another learned."""
    both = {**known, **found}
    if "format" in known and "format" in found:
        both["format"] = max(known["format"], found["format"], key=FORMATS.index)
    if dropped := {*known.get("dropped", ()), *found.get("dropped", ())}:
        both["dropped"] = sorted(dropped)
    return both
