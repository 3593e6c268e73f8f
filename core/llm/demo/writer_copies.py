"""How much of a text is taken over word for word from another."""

from collections.abc import Set


def runs(source: tuple[str, ...], least: int) -> set[tuple[str, ...]]:
    """Every run of ``least`` tokens of a source."""
    return {source[at : at + least] for at in range(len(source) - least + 1)}


def longest_copy(said: tuple[str, ...], known: "Set[tuple[str, ...]]", least: int) -> int:
    """Tokens in the longest stretch of ``said`` made of known runs; 0 when there is none."""
    longest = current = 0
    for at in range(len(said) - least + 1):
        current = (current + 1 if current else least) if said[at : at + least] in known else 0
        longest = max(longest, current)
    return longest
