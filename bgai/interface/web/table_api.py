"""The page's own calls: tables that it opens, and what is done and asked there."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from typing import Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import PlainTextResponse

from bgai.interface.bot import Bot
from bgai.interface.texts import languages, read_texts
from bgai.interface.web import table_view
from bgai.interface.web.live_table import Change, LiveTable
from bgai.interface.web.openings import new_table, saved_table
from bgai.interface.web.table_questions import (
    ActionQuestion,
    AutomaticQuestion,
    NewTableQuestion,
    SavedQuestion,
)

MOST_TABLES = 200
"""More push the one that has not been used for longest out; the page can keep sessions as files."""


class Tables:
    """The tables in use by their names, which only those who sit there know."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, LiveTable] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, live: LiveTable) -> str:
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._tables[name] = live
            while len(self._tables) > MOST_TABLES:
                self._tables.popitem(last=False)
        return name

    def __getitem__(self, name: str) -> LiveTable:
        with self._lock:
            if name not in self._tables:
                raise HTTPException(404, "there is no such table (any more)")
            self._tables.move_to_end(name)
            return self._tables[name]


def table_router(bot: Bot, plies: int, seed: int | None) -> APIRouter:
    """The calls under `/table`. They may compute for long, so each has a thread of its own.

    Args:
        plies: what the page proposes for the opponent's search.
        seed: of the first table's dice, unless it says its own.
    """
    router = APIRouter(prefix="/table", include_in_schema=False)
    tables = Tables()
    _add_settings(router, bot, plies, seed)
    _add_openings(router, bot, tables)
    _add_actions(router, tables)
    _add_questions(router, tables)
    return router


def _add_settings(router: APIRouter, bot: Bot, plies: int, seed: int | None) -> None:
    @router.get("/settings")
    def get_settings() -> dict[str, Any]:
        return {
            "bot": bot.name,
            "plies": plies,
            "seed": seed,
            "languages": table_view.language_list(),
        }

    @router.get("/texts/{language}")
    def get_texts(language: str) -> dict[str, Any]:
        if language not in languages():
            raise HTTPException(404, f"there is no language {language!r}")
        return read_texts(language)


def _add_openings(router: APIRouter, bot: Bot, tables: Tables) -> None:
    def opened(live: LiveTable) -> dict[str, Any]:
        live.advance()
        return {"id": tables.add(live), **_whole(live)}

    @router.post("/new")
    def post_new(question: NewTableQuestion) -> dict[str, Any]:
        return opened(new_table(bot, question))

    @router.post("/saved")
    def post_saved(question: SavedQuestion) -> dict[str, Any]:
        return opened(saved_table(bot, question))


def _add_actions(router: APIRouter, tables: Tables) -> None:
    @router.get("/{name}")
    def get_table(name: str) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            return {"id": name, **_whole(live)}

    @router.post("/{name}/action")
    def post_action(name: str, question: ActionQuestion) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            return _answer(live, live.act(question))

    @router.post("/{name}/automatic")
    def post_automatic(name: str, question: AutomaticQuestion) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            live.table.automatic = question.automatic()
            return _answer(live, live.advance())


def _add_questions(router: APIRouter, tables: Tables) -> None:
    @router.get("/{name}/hints")
    def get_hints(name: str, version: int | None = None) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            live.check_version(version)
            return table_view.hints(live)

    @router.get("/{name}/judgement")
    def get_judgement(name: str, version: int | None = None) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            live.check_version(version)
            return table_view.judgement(live)

    @router.get("/{name}/account")
    def get_account(name: str) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            return table_view.account(live)

    @router.get("/{name}/session")
    def get_session(name: str) -> dict[str, Any]:
        live = tables[name]
        with live.lock:
            return live.session()

    @router.get("/{name}/mat")
    def get_mat(name: str) -> PlainTextResponse:
        live = tables[name]
        with live.lock:
            try:
                return PlainTextResponse(live.mat())
            except ValueError as error:
                raise HTTPException(409, str(error)) from error


def _whole(live: LiveTable) -> dict[str, Any]:
    """A table from its beginning."""
    answer = _answer(live, Change(0, live.log()))
    return {**answer, "notes": live.notes, "session": live.session()}


def _answer(live: LiveTable, change: Change) -> dict[str, Any]:
    """What a change brings, beside what the page has: `kept` of its events, and its session."""
    return {
        "kept": live.log_length() - len(change.happened),
        "events": table_view.events(live, change.happened),
        "view": table_view.view(live),
        "session_changes": live.session_changes(change.kept_steps),
    }
