"""How many sessions a page leaves out, and why: said beside the figures that lack them."""

from core.results.reading import Aside
from pages.components import layout
from pages.components.words import _, many


def tell(found: Aside) -> None:
    """Nothing where nothing is left out."""
    parts = [
        many("{n} session was withdrawn", "{n} sessions were withdrawn", len(found.withdrawn)) if found.withdrawn else "",
        many("{n} session is without consent to group figures", "{n} sessions are without consent to group figures", len(found.not_agreed))
        if found.not_agreed else "",
    ]  # fmt: skip
    if any(parts):
        layout.muted(_("Left out here: {what}.").format(what=_(", ").join(part for part in parts if part)))
