"""Numbers as they are written on the pages of results."""

from core.results.claims import rounded, short
from pages.components.results_words import between


def test_interval_is_written_out_unless_its_end_says_nothing() -> None:
    assert between(0.5, 0.75) == ".50 – .75" and between(-0.25, 1.0) == "−.25 – 1.0"
    assert between(-4e199, 0.5) == "< −1 – .50"
    assert between(float("nan"), 0.5) == "–"


def test_a_number_is_rounded_in_one_way_everywhere() -> None:
    assert rounded(3.125) == "3.13" and rounded(4.6667) == "4.67" and rounded(-0.125) == "−0.13"
    assert short(0.125) == ".13" and short(-0.004) == ".00" and short(-1.0) == "−1.0" and short(-0.5) == "−.50"
    assert short(float("-inf")) == "–"
