"""Numbers as they are written on the pages of results."""

from pages.components.results_words import between


def test_interval_is_written_out_unless_its_end_says_nothing() -> None:
    assert between(0.5, 0.75) == ".50 – .75" and between(-0.25, 1.0) == "-.25 – 1.0"
    assert between(-4e199, 0.5) == "< −1 – .50"
    assert between(float("nan"), 0.5) == "–"
