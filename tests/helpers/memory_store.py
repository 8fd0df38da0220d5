"""An in-memory store: it proves that a library needs no more than the protocol."""

import re
import threading
import unicodedata
from collections import defaultdict
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import numpy as np

from storyscope.core import Passages
from storyscope.errors import LibraryError, VideoBusy
from storyscope.store import OUTDATED, SCAN, TextQuery
from storyscope.store.codec import pack, unpack

ENDINGS = re.compile(r"(?<=\w\w\w)(ing|s)$")


@dataclass
class State:
    """The data of a store; a snapshot is a copy of it."""

    records: dict = field(default_factory=dict)
    artefacts: dict = field(default_factory=dict)
    annotations: dict = field(default_factory=dict)
    texts: dict = field(default_factory=dict)
    addresses: dict = field(default_factory=dict)
    jobs: dict = field(default_factory=dict)
    version: int = 0

    def __copy__(self):
        kept = {name: dict(value) for name, value in vars(self).items() if name != "version"}
        return State(**kept, version=self.version)


class Memory:
    """The data that several stores of one library share."""

    def __init__(self):
        self.state = State()
        self.writing = threading.RLock()
        self.locks = defaultdict(threading.Lock)


class MemoryText:
    """The full-text index of an in-memory library."""

    def __init__(self, store):
        self._store = store

    def find(self, query: TextQuery, *, limit=50_000):
        phrases = [stems(term) for term in query.terms]
        found = [
            address
            for address, text in sorted(self._store._state.texts.items())
            if any(
                holds(stems(text), phrase, prefix=query.prefix and number == len(phrases) - 1)
                for number, phrase in enumerate(phrases)
            )
        ]
        return np.array(found[:limit], np.int64)

    def addresses(self):
        return dict(self._store._state.addresses)

    def at(self, address):
        return self._store._state.texts[int(address)]

    def vocabulary(self, prefix):
        words = {stem for text in self._store._state.texts.values() for stem in stems(text)}
        return sorted(word for word in words if word.startswith(prefix))


class MemoryJobs:
    """The jobs of an in-memory library."""

    def __init__(self, store):
        self._store = store

    def add(self, facts):
        number = next(self._store.job_numbers)
        with self._store._change() as state:
            state.jobs[number] = facts
        return number

    def put(self, number, facts):
        with self._store._change() as state:
            if facts is None:
                state.jobs.pop(number, None)
            elif number in state.jobs:
                state.jobs[number] = facts

    def all(self):
        return dict(self._store._state.jobs)

    def get(self, number):
        return self._store._state.jobs.get(number)

    def listener(self):
        return None


class MemoryStore:
    """Stores a library in memory; `folder` is for generated files."""

    readers = count(1)
    job_numbers = count(1)

    def __init__(self, folder, memory=None):
        self.folder, self.memory = Path(folder), memory or Memory()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._local = threading.local()

    @property
    def place(self):
        return f"memory://{self.folder}"

    @property
    def uploads(self):
        return self.folder / "uploads"

    @property
    def upload_bucket(self):
        return ""

    @property
    def text(self):
        return MemoryText(self)

    @property
    def jobs(self):
        return MemoryJobs(self)

    def records(self):
        return [self._state.records[video] for video in sorted(self._state.records)]

    def record(self, video):
        return self._state.records.get(video)

    def add_record(self, record):
        with self._change() as state:
            for known in state.records.values():
                if known.video.path == record.video.path:
                    return known
            names = (f"{record.video.id}-{n}" if n > 1 else record.video.id for n in count(1))
            name = next(name for name in names if name not in state.records)
            state.records[name] = replace(record, video=replace(record.video, id=name))
            return state.records[name]

    def put_record(self, record):
        with self._change() as state:
            state.records[record.video.id] = record

    @contextmanager
    def busy(self, video, *, patience=0.5):
        lock = self.memory.locks["video", video]
        if not lock.acquire(timeout=patience):
            raise VideoBusy(f"{video} is being indexed by another process; wait until it is done")
        try:
            yield
        finally:
            lock.release()

    def remove(self, video):
        with self._change() as state:
            state.records.pop(video, None)
            for part in (state.artefacts, state.annotations):
                for key in [key for key in part if key[0] == video]:
                    del part[key]
            self._forget_texts(state, video)

    def outdate_artefacts(self, video):
        with self._change() as state:
            for place, (key, *rest) in list(state.artefacts.items()):
                if place[0] == video:
                    state.artefacts[place] = (OUTDATED + key.removeprefix(OUTDATED), *rest)

    @contextmanager
    def snapshot(self):
        self._local.state = copy(self.memory.state)
        try:
            yield
        finally:
            del self._local.state

    def version(self):
        if not hasattr(self._local, "reader"):
            self._local.reader = next(self.readers)
        return self._local.reader, (self._state.version, 0)

    def key(self, video, artefact):
        return self._state.artefacts.get((video, artefact.name), (None,))[0]

    def keys(self, video):
        kept = sorted(self._state.artefacts.items())
        return {stage: value[0] for (of, stage), value in kept if of == video}

    def ready_keys(self, artefact):
        ready = [r.video.id for r in self.records() if r.state == "ready"]
        keys = {video: self.key(video, artefact) for video in ready}
        return {video: key for video, key in keys.items() if key is not None}

    def prefetch(self, videos, artefacts):
        pass

    def load(self, video, artefact):
        kept = self._state.artefacts.get((video, artefact.name))
        if kept is None:
            raise LibraryError(f"{video} has no {artefact.name} yet; add it again")
        return unpack(*kept[1:])

    def save(self, video, artefact, key, value):
        facts, arrays = pack(value)
        arrays = {name: np.array(array) for name, array in arrays.items()}
        with self._change() as state:
            if video not in state.records:
                raise LibraryError(f"no video called {video}")
            state.artefacts[video, artefact.name] = (key, facts, arrays)
            if isinstance(value, Passages):
                self._forget_texts(state, video)
                first = max(state.texts, default=0) + 1
                texts = [*value.texts, *value.screen_texts]
                state.texts |= dict(enumerate(texts, start=first))
                state.addresses[video] = range(first, first + len(texts))

    def load_picture(self, video, seconds):
        keyframes = self.load(video, SCAN).keyframes
        if not len(keyframes):
            raise LibraryError(f"{video} has no keyframes; index it again")
        number = int(np.abs(keyframes.seconds - seconds).argmin())
        return int(keyframes.frames[number]), keyframes.pictures[number], self.key(video, SCAN)

    def vector_index(self):
        return None

    def annotations(self, video):
        kept = self._state.annotations
        return {name: kept[of, name] for of, name in sorted(kept) if of == video}

    def put_annotation(self, video, annotator, facts):
        with self._change() as state:
            state.annotations.pop((video, annotator), None)
            if facts is not None:
                state.annotations[video, annotator] = facts

    def document(self, name):
        return self.folder / name

    def put_document(self, name, content):
        if content is None:
            self.document(name).unlink(missing_ok=True)
        else:
            self.document(name).write_bytes(content)

    def documents(self):
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())

    def lock(self, name):
        return self.memory.locks["lock", name]

    def close(self):
        """Do nothing, because nothing is open."""

    @property
    def _state(self):
        return getattr(self._local, "state", self.memory.state)

    @contextmanager
    def _change(self):
        with self.memory.writing:
            state = copy(self.memory.state)
            state.version += 1
            yield state
            self.memory.state = state

    @staticmethod
    def _forget_texts(state, video):
        for address in state.addresses.pop(video, ()):
            del state.texts[address]


def stems(text):
    plain = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [ENDINGS.sub("", word) for word in re.findall(r"\w+", plain)]


def holds(words, phrase, *, prefix):
    """Whether the words contain the phrase, whose last word may be a prefix."""
    if not phrase:
        return False
    for start in range(len(words) - len(phrase) + 1):
        *whole, last = words[start : start + len(phrase)]
        if whole == phrase[:-1] and (last.startswith(phrase[-1]) if prefix else last == phrase[-1]):
            return True
    return False
