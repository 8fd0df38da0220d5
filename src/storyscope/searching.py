"""Answers to queries: joins what is stored, the search room and the thumbnails.

A `Searcher` keeps the index of a library in memory and brings it up to date before every query.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.core import Hit, Keyframes, Passages, Ratings, Span, Story, Thumbnail, format_time
from storyscope.errors import MediaError
from storyscope.search import (
    RELEVANT,
    Heard,
    Index,
    Judged,
    Lexicon,
    Match,
    Senses,
    class_vectors,
    conse,
    expression,
    judge,
    likeliest,
    load_text_model,
    named_classes,
    nearest_word,
    owner_of,
    picture_relevance,
    query_terms,
    quoted_phrases,
    shares_of,
)
from storyscope.store import Said, Store

LOADED_VIDEOS = 64
"""Videos whose passages stay in memory for evidence and thumbnails."""
SAID_REACH = 4.0
"""Seconds around a passage whose words match in which a picture is thought to show it."""
ALIKE = 0.6
"""Least cosine of a picture, or of a story, with one that is like it."""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which stories may answer; None lets all pass."""

    video: str | None = None
    after: float | None = None
    """Seconds into the video: the story must not begin earlier..."""
    before: float | None = None
    """...nor end later."""
    shortest: float | None = None
    longest: float | None = None
    """Seconds."""
    language: str | None = None
    """Of what is said in the video, as "en"."""

    def passes(self, story: Story, language: str) -> bool:
        span = story.span
        return (
            (self.after is None or span.start >= self.after)
            and (self.before is None or span.end <= self.before)
            and (self.shortest is None or span.length >= self.shortest)
            and (self.longest is None or span.length <= self.longest)
            and (self.language is None or language.split("-")[0] == self.language)
        )


@dataclass(frozen=True, eq=False)
class Query:
    """A text as search takes it."""

    terms: tuple[str, ...]
    senses: Senses
    matches: Mapping[str, list[Match]]
    """Passages that share its words, by video."""


class Searcher:
    """Answers queries over a store."""

    def __init__(self, store: Store, config: Config, *, trained: Path | None = None) -> None:
        """`trained` is the file of concepts that a person taught, if any."""
        self.store, self.config, self.trained = store, config, trained
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._keys: dict[str, tuple[str, str]] = {}
        self._loaded = lru_cache(LOADED_VIDEOS)(self._load)

    def search(self, text: str, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories that answer the text, best first."""
        if self.config.search.method == "paper":
            return self._search_as_the_paper(text, limit, only)
        with self._lock:
            index = self._fresh_index()
            query = self._query(text)
            if not query.terms:
                return []
            judged = judge(self._heard(index, query)).only(index.alive())
            order = np.argsort(-judged.score, kind="stable")
            hits: list[Hit] = []
            for place in order:
                if len(hits) == limit or judged.score[place] < RELEVANT:
                    break
                hit = self._hit(index, int(place), judged, query, only, quoted_phrases(text))
                if hit is not None:
                    hits.append(hit)
            return hits

    def more_like(self, story: Story, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories that speak of the same or look the same as this one, which is not among them."""
        with self._lock:
            index = self._fresh_index()
            passages = self._material(story.video).passages
            return self._alike(
                index, self._senses_of(story, passages), limit, only, not_story=story
            )

    def search_picture(
        self, classes: np.ndarray, shares: np.ndarray, *, limit: int, only: Filter = Filter()
    ) -> list[Hit]:
        """Stories that show what a picture shows; its likeliest classes are [1, 10] each."""
        with self._lock:
            index = self._fresh_index()
            looks = conse(classes, shares, index.meanings)[0]
            return self._alike(index, Senses(looks=looks), limit, only)

    def listen(self, text: str) -> tuple[Index, Heard]:
        """What every sense says of every story, relevant or not: what a benchmark looks at."""
        with self._lock:
            index = self._fresh_index()
            return index, self._heard(index, self._query(text))

    def thumbnail(self, story: Story, relevance: np.ndarray | None = None) -> Thumbnail:
        """The frame that stands for a story, for a query if its pictures' relevance is given."""
        from storyscope.thumbnails import choose_thumbnail

        material = self._material(story.video)
        chosen = choose_thumbnail(
            story, material.pictures, material.ratings, relevance, self.config.thumbnails
        )
        return chosen or Thumbnail(story.id, story.span.middle, 0.0)

    def forget_loaded(self) -> None:
        """Look at ratings anew: they changed."""
        self._loaded.cache_clear()

    def _search_as_the_paper(self, text: str, limit: int, only: Filter) -> list[Hit]:
        from storyscope.searching_paper import search_as_the_paper

        hits = [
            hit
            for hit in search_as_the_paper(self.store, self.config, text, self.trained)
            if only.video in (None, hit.video)
            and only.passes(hit.story, self._material(hit.video).passages.language)
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def _fresh_index(self) -> Index:
        """The index, with what was added, changed or removed since the last query."""
        if self._index is None:
            from storyscope.models import class_names

            model = load_text_model(self.config.search.text_model)
            self._index = Index(class_vectors(model, class_names()))
        passages, titles = self.store.ready_keys("passages"), self.store.ready_keys("titles")
        wanted = {video: (passages[video], key) for video, key in titles.items()}
        for video in self._keys.keys() - wanted.keys():
            self._index.remove(video)
            del self._keys[video]
        for video, keys in wanted.items():
            if self._keys.get(video) != keys:
                stories = self.store.load(video, "titles")
                self._index.add(video, stories, self.store.load(video, "passages"))
                self._keys[video] = keys
        return self._index

    def _query(self, text: str) -> Query:
        model = load_text_model(self.config.search.text_model)
        terms = query_terms(text)
        matches: dict[tuple[str, Span, str], Match] = {}
        for place, term in enumerate(terms):
            found = self.store.find_said(expression([term]))
            if not found and " " not in term and not model.knows(term):
                found, terms[place] = self._meant_to_type(term)
                text = re.sub(rf"\b{re.escape(term)}\b", terms[place], text, flags=re.IGNORECASE)
            for said in found:
                key = (said.video, said.span, said.kind)
                share = (matches[key].share if key in matches else 0.0) + 1 / len(terms)
                matches[key] = Match(said.span, said.text, said.kind, share)
        by_video: dict[str, list[Match]] = {}
        for (video, _, _), match in matches.items():
            by_video.setdefault(video, []).append(match)
        meaning = model.encode([text])[0] if terms else None
        names = named_classes(terms, lexicon(), len(self._meanings))
        return Query(tuple(terms), Senses(meaning, meaning, names), by_video)

    @property
    def _meanings(self) -> np.ndarray:
        assert self._index is not None
        return self._index.meanings

    def _meant_to_type(self, word: str) -> tuple[list[Said], str]:
        """For a rare word: passages with its plain name, or with what a slip turned into it.

        The second is the word to go on with.
        """
        if word in synonyms():
            name = synonyms()[word]
            return self.store.find_said(expression(query_terms(name))), name
        stem = nearest_word(word, self.store.said_terms())
        if stem is not None:
            found = self.store.find_said(f'"{stem}"*')
            said = re.search(rf"\b{re.escape(stem)}\w*", found[0].text if found else "", re.I)
            return found, said.group().lower() if said else stem
        return [], nearest_word(word, lexicon()) or word

    def _heard(self, index: Index, query: Query) -> Heard:
        count = len(index.places)
        said, read = np.zeros(count), np.zeros(count)
        for video, matches in query.matches.items():
            if video in index.videos:
                rows = index.videos[video]
                middles = np.array([match.span.middle for match in matches])
                owners = index.stories_at(video, middles)
                part = slice(rows.start, rows.stop)
                said[part] = shares_of(matches, owners, "said", len(rows))
                read[part] = shares_of(matches, owners, "read", len(rows))
        return Heard(index.score(query.senses), said, read)

    def _hit(
        self,
        index: Index,
        place: int,
        judged: Judged,
        query: Query,
        only: Filter,
        phrases: Sequence[str],
    ) -> Hit | None:
        video, number = index.places[place]
        if only.video is not None and video != only.video:
            return None
        material = self._material(video)
        story = material.stories[number]
        words = [m for m in query.matches.get(video, []) if m.span.middle in story.span]
        if not only.passes(story, material.passages.language):
            return None
        if not all(any(_holds(match.text, phrase) for match in words) for phrase in phrases):
            return None
        parts = judged.parts(place)
        relevance = self._relevance(material, story, query, words)
        evidence = _evidence(parts, words, material, story, query, relevance)
        thumbnail = self.thumbnail(story, relevance)
        return Hit(video, story, thumbnail, float(judged.score[place]), parts, evidence)

    def _relevance(
        self, material: Material, story: Story, query: Query, words: Sequence[Match]
    ) -> np.ndarray:
        """How far each picture of the story shows what is asked for, from 0 to 1."""
        relevance = self._shown(material, story, query.senses)
        for match in words:
            apart = material.passages.seconds - match.span.middle
            nearness = np.exp(-(apart**2) / (2 * SAID_REACH**2))
            relevance = np.maximum(relevance, 0.5 * match.share * nearness)
        return relevance

    def _shown(self, material: Material, story: Story, senses: Senses) -> np.ndarray:
        rows = np.flatnonzero(owner_of(material.passages.seconds, [story]) >= 0)
        return picture_relevance(material.passages, rows, senses, self._meanings)

    def _senses_of(self, story: Story, passages: Passages) -> Senses:
        spoken = passages.text_vectors[owner_of(passages.spans.mean(axis=1), [story]) >= 0]
        shown = owner_of(passages.seconds, [story]) >= 0
        looks = conse(passages.classes[shown], passages.shares[shown], self._meanings)
        return Senses(_direction(spoken), _direction(looks))

    def _alike(
        self,
        index: Index,
        senses: Senses,
        limit: int,
        only: Filter,
        not_story: Story | None = None,
    ) -> list[Hit]:
        scores = index.score(senses)
        alive = index.alive()
        score = np.where(alive, np.maximum(scores.told, scores.seen), 0)
        hits: list[Hit] = []
        for place in np.argsort(-score, kind="stable"):
            if len(hits) == limit or score[place] < ALIKE:
                break
            video, number = index.places[place]
            material = self._material(video)
            story = material.stories[number]
            if story == not_story or (only.video is not None and video != only.video):
                continue
            if not only.passes(story, material.passages.language):
                continue
            relevance = self._shown(material, story, senses)
            said, seen = float(scores.told[place]), float(scores.seen[place])
            parts = {"said": 0.0, "meant": max(said, 0.0), "seen": max(seen, 0.0), "read": 0.0}
            sense = "speaks of the same" if said > seen else "looks alike"
            thumbnail = self.thumbnail(story, relevance)
            hits.append(Hit(video, story, thumbnail, float(score[place]), parts, sense))
        return hits

    def _material(self, video: str) -> Material:
        key = self.store.key(video, "ratings")
        return self._loaded(video, self._keys.get(video), key)

    def _load(self, video: str, *keys: object) -> Material:
        passages = self.store.load(video, "passages")
        return Material(
            stories=self.store.load(video, "titles"),
            passages=passages,
            ratings=self.store.load(video, "ratings"),
            pictures=Keyframes(
                passages.shots, np.zeros(len(passages.shots), int), passages.seconds, ()
            ),
        )


@dataclass(frozen=True, eq=False)
class Material:
    """What a hit in one video is made of."""

    stories: Sequence[Story]
    passages: Passages
    ratings: Ratings
    pictures: Keyframes
    """Without the pictures themselves."""


@lru_cache(1)
def lexicon() -> Lexicon:
    """The names of everything that the image network, or a wider concept over it, can see."""
    from storyscope.concepts import detect
    from storyscope.models import class_names, class_synonyms

    names, synonyms = class_names(), class_synonyms()
    nothing = np.zeros((0, len(names)), np.float32)
    known = detect(nothing, class_names=names, class_synonyms=synonyms)
    words = {first.lower(): frozenset([number]) for number, (first, *_) in enumerate(synonyms)}
    return words | {
        name.lower(): covers for name, covers in zip(known.names, known.covers, strict=True)
    }


@lru_cache(1)
def synonyms() -> dict[str, str]:
    """Rarer names of what the image network can see -> the plain name."""
    from storyscope.models import class_synonyms

    return {other.lower(): names[0].lower() for names in class_synonyms() for other in names[1:]}


def _evidence(
    parts: Mapping[str, float],
    words: Sequence[Match],
    material: Material,
    story: Story,
    query: Query,
    relevance: np.ndarray,
) -> str:
    """One line that says why: words that match, else words that mean it, else what is seen."""
    from storyscope.models import class_names

    passages = material.passages
    best = max(words, key=lambda match: match.share, default=None)
    if best is not None and best.share >= parts["seen"]:
        return f"{best.kind} at {format_time(best.span.start)}: “{best.text}”"
    windows = np.flatnonzero(owner_of(passages.spans.mean(axis=1), [story]) >= 0)
    if parts["seen"] < RELEVANT and len(windows) and query.senses.meaning is not None:
        nearest = windows[np.argmax(passages.text_vectors[windows] @ query.senses.meaning)]
        start = format_time(passages.spans[nearest][0])
        return f"said at {start}: “{passages.texts[nearest]}”"
    pictures = np.flatnonzero(owner_of(passages.seconds, [story]) >= 0)
    if not len(pictures):
        return ""
    picture = pictures[np.argmax(relevance[pictures])]
    names = class_names()
    return (
        f"seen at {format_time(passages.seconds[picture])}: "
        + names[_sight(passages, int(picture), query, len(names))]
    )


def _sight(passages: Passages, picture: int, query: Query, count: int) -> int:
    """The class that tells most of why a picture fits: the named one, else the likeliest."""
    classes = passages.classes[picture]
    names = query.senses.names if query.senses.names is not None else np.zeros(count)
    weight = passages.shares[picture].astype(float) * (names[classes] + 1e-3)
    return int(classes[weight.argmax()])


def _direction(vectors: np.ndarray) -> np.ndarray | None:
    if not len(vectors):
        return None
    total = vectors.astype(np.float32).sum(axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))


def _holds(text: str, phrase: str) -> bool:
    words = " ".join(re.findall(r"\w+", text.lower()))
    return " ".join(re.findall(r"\w+", phrase)) in words


def look_at(image: Path, config: Config) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest classes of an image file, [1, 10], and how likely they are."""
    from PIL import Image, UnidentifiedImageError

    from storyscope.features import describe_pictures, load_backbone

    try:
        with Image.open(image) as opened:
            rgb = np.asarray(opened.convert("RGB"))
    except (OSError, UnidentifiedImageError) as error:
        raise MediaError(f"{image} is no image that can be read; give a JPEG or PNG") from error
    seen = describe_pictures([rgb], load_backbone(config.features.backbone))
    return likeliest(seen.posteriors)
