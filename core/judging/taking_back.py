"""Taking back what a table brought in: a table of the wrong kind, under the wrong name or with wrong values."""

from typing import Any

from storage import judged
from storage.judged import ImportedRater
from storage.store import Receipt, Store


def brought(store: Store) -> list[ImportedRater]:
    """The raters that tables brought in, with how much is here of each; never one who rated here."""
    return store.database.write(judged.all_brought)


def take_back(store: Store, rater_id: int) -> Receipt:
    """Delete all ratings and comparisons that tables brought of one rater, in one transaction; a receipt of what went.

    Raises:
        NotFound: no table brought in such a rater. Nothing was deleted.
    """
    return store.take_back(rater_id)


def listed(store: Store) -> dict[str, Any]:
    """As the command line gives it."""
    return {"raters": [
        {"id": one.id, "kind": one.kind, "name": one.name, "ratings": one.ratings, "comparisons": one.comparisons, "instruments": list(one.instruments)}
        for one in brought(store)
    ]}  # fmt: skip


def in_words(result: dict[str, Any]) -> str:
    """The list as lines."""
    lines = [
        f"{one['id']}: {one['name']} ({one['kind']}), {one['ratings']} ratings, {one['comparisons']} comparisons, {', '.join(one['instruments'])}"
        for one in result["raters"]
    ]
    return "\n".join(lines) or "No table of ratings or comparisons has been brought in."
