"""JSON documents of a library: concurrent changes, checks and repair."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from memory_store import MemoryStore
from storyscope.errors import LibraryError
from storyscope.library.checking import check_library
from storyscope.library.documents import JsonDocument, forget
from storyscope.library.local import LocalLibrary
from storyscope.library.own_version import OWN_VERSIONS
from storyscope.library.thumbnails import CHOICES
from storyscope.library.titles import TITLES_DOCUMENT
from storyscope.library.transitions import REJECTED
from storyscope.library.video_settings import VIDEO_SETTINGS

NUMBERS = JsonDocument("numbers.json", lambda kept: {v: int(n) for v, n in kept.items()}, dict)


def test_changes_of_many_at_once_are_all_kept(tmp_path):
    store = MemoryStore(tmp_path)

    def count(number):
        with NUMBERS.change(store) as kept:
            kept["film"] = kept.get("film", 0) + number

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    assert NUMBERS.read(store) == {"film": sum(range(40))}


def test_a_change_that_fails_or_changes_nothing_writes_nothing(tmp_path):
    store = MemoryStore(tmp_path)
    with NUMBERS.change(store):
        pass
    with suppress(RuntimeError), NUMBERS.change(store) as kept:
        kept["film"] = 1
        raise RuntimeError
    assert store.documents() == []


def test_forgetting_a_video_leaves_the_others(tmp_path):
    store = MemoryStore(tmp_path)
    store.put_document("numbers.json", b'{"film": 1, "other": 2}')
    forget(store, "film", NUMBERS)
    forget(store, "unknown", NUMBERS)
    assert NUMBERS.read(store) == {"other": 2}


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        (CHOICES, '[{"video": "film"}]'),
        (OWN_VERSIONS, '["film"]'),
        (REJECTED, '{"film": [1, 2]}'),
        (TITLES_DOCUMENT, "{"),
        (TITLES_DOCUMENT, "[" * 100_000),
        (VIDEO_SETTINGS, '{"film": {"stories": {"about": "many"}}}'),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_damaged_document_is_named_and_set_aside(tmp_path, document, wrong):
    library = LocalLibrary(tmp_path)
    (tmp_path / document.name).write_text(wrong)
    with pytest.raises(LibraryError, match=r"damaged; run `storyscope check --repair`"):
        document.read(library.store)
    assert document.read_or_empty(library.store) == document.empty()
    (found,) = check_library(library, repair=True)
    assert (document.name in found.what, found.repaired) == (True, True)
    assert (tmp_path / f"{document.name}.damaged").read_text() == wrong
    assert check_library(library) == []
    assert document.read(library.store) == document.empty()


def test_documents_are_human_readable(tmp_path):
    store = MemoryStore(tmp_path)
    with TITLES_DOCUMENT.change(store) as titles:
        titles["film"] = {"given": "Überall"}
    text = (tmp_path / "titles.json").read_text(encoding="utf-8")
    assert "Überall" in text
    assert json.loads(text) == {"film": {"given": "Überall"}}
