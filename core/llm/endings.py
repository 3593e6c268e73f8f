"""How replies end, by the names endpoints have for it. Pure.

Names recorded from the documentation and sources of OpenAI, Azure, Anthropic, Gemini, Mistral, DeepSeek (its
``insufficient_system_resource``), Zhipu (``sensitive``, ``network_error``), OpenRouter, Cohere, Together, TGI, vLLM
(``abort``), SGLang, llama.cpp and Ollama.
"""

from typing import Literal

Ending = Literal["whole", "cut", "filtered", "missing"]

WHOLE = {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "end_of_sequence", "complete"}
AT_THE_LIMIT = {
    "length", "max_tokens", "max_length", "model_length", "max_output_tokens", "model_context_window_exceeded",
}  # fmt: skip
FILTERED = {
    "content_filter", "sensitive", "safety", "refusal", "recitation", "prohibited_content", "blocklist", "spii",
    "error_toxic",
}  # fmt: skip


def ending(finish: str) -> tuple[Ending, str]:
    """How a reply ended, and why that is no answer (empty for a whole one).

    Only a reply that ended by itself is an answer: a name nobody knows is none.
    """
    name = finish.strip().lower()
    if name in WHOLE:
        return "whole", ""
    if name in ("", "null", "none"):
        return "missing", "the endpoint did not say how the reply ended"
    if name in AT_THE_LIMIT:
        return "cut", "the reply was cut at the length limit"
    if name in FILTERED:
        return "filtered", "the endpoint's content filter held the reply back"
    return "cut", f"the reply did not end by itself ({name[:40]})"
