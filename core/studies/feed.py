"""Units of a stage for many hands, a page at a time."""

import asyncio

from core.studies.binding import JUDGED, Shelf
from storage import units
from storage.waiting import Waiting

PAGE = 200


class Feed:
    """Units of a stage a page at a time, so that memory does not grow with their number.

    The next page, and the sessions its units are about, are read while the hands are busy with this one.
    """

    def __init__(self, shelf: Shelf, study_id: int, stage: int) -> None:
        self.shelf, self.study_id, self.stage = shelf, study_id, stage
        self.after = -1
        self._page: list[Waiting] = []
        self._coming: asyncio.Future[list[Waiting]] | None = None

    async def next(self) -> Waiting | None:
        if len(self._page) <= PAGE // 2 and self._coming is None:
            self._coming = asyncio.ensure_future(asyncio.to_thread(self._read))
        while not self._page:
            coming = self._coming
            if coming is None:
                return None
            page = await asyncio.shield(coming)
            if self._coming is coming:  # the first of those who waited lays it out
                self._page = page[::-1]
                self._coming = None if page else coming
            if not page:
                return None
        return self._page.pop()

    def _read(self) -> list[Waiting]:
        page = units.waiting(self.shelf.store, self.study_id, self.stage, self.after, PAGE)
        if page:
            self.after = page[-1].position
            self.shelf.fetch(unit.result for unit in page if unit.kind in JUDGED)
        return page

    def put_back(self, unit: Waiting) -> None:
        self._page.append(unit)
