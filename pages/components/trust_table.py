"""The trust label of every dimension and of the total, as a table."""

from core import instruments
from core.results.voices import Voice
from pages.components import badges, charts, results_data, trust_words
from pages.components.results_words import dimension_name


def show(table: str, instrument: str, voice: Voice) -> None:
    used = instruments.load(instrument, voice.version)
    labels = {dimension_name(used, of): label for of, label in results_data.label_parts(table, instrument, voice).items()}
    charts.show_table(
        trust_words.table(labels, table == "rating"), name=f"trust-{instrument}", key=f"trust_{table}", whole=True,
        made_by=badges.engine_words("demo" if voice.kind == "rules" else "openai"),
    )  # fmt: skip
