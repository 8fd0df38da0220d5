"""The two semantic features of the paper, and the presence of a term in a shot.

With f_c(s) the probability that class c is seen in shot s, M(u) the class most like term u, t_u
and t_s the times of term and shot, and G_i the terms of concept group i:

    P(s, u)  =  f_M(u)(s) exp(-(t_u - t_s)^2 / (2 sigma^2))
    v(s)_i   =  sum over u in G_i of  P(s, u)
    t(s)_i   =  sum over u in G_i of  exp(-(t_u - t_s)^2 / (2 sigma^2))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from storyscope.concepts.detectors import Detections
from storyscope.concepts.groups import ConceptGroups, group_terms
from storyscope.concepts.vectors import WordVectors
from storyscope.config import ConceptConfig
from storyscope.core import Features, Mined, Shot, Word


def semantic_features(
    shots: Sequence[Shot],
    mined: Mined,
    vectors: WordVectors,
    *,
    seen: Detections | None = None,
    groups: ConceptGroups | None = None,
    config: ConceptConfig = ConceptConfig(),
) -> list[Features]:
    """Compute `text_concepts` and, if there are pictures, `visual_concepts` of one video.

    `seen` holds one row per shot; `groups` are those of the collection, without which the video has
    its own. If the word vectors know none of the video's terms, it has neither feature: the list is
    empty.
    """
    terms = mined.terms
    texts = [term.text for term in terms]
    groups = groups or group_terms(texts, vectors, groups=config.groups)
    if not groups.words:
        return []
    sigma = config.sigma_seconds
    features = [text_concepts(shots, terms, groups, vectors, sigma_seconds=sigma)]
    if seen is not None:
        matches = match_classes(texts, seen.words, vectors)
        visual = visual_concepts(
            shots,
            terms,
            groups,
            vectors,
            detections=seen.probabilities,
            matches=matches,
            sigma_seconds=sigma,
        )
        features.append(visual)
    return features


def text_concepts(
    shots: Sequence[Shot],
    terms: Sequence[Word],
    groups: ConceptGroups,
    vectors: WordVectors,
    *,
    sigma_seconds: float = 20.0,
) -> Features:
    """t(s): how much each concept group is mentioned around every shot."""
    member = membership(groups.of([term.text for term in terms], vectors), groups.count)
    rows = [near @ member for _, near in _nearness(_middles(shots), _times(terms), sigma_seconds)]
    return Features("text_concepts", _stacked(rows, groups.count), _producer(groups, vectors))


def visual_concepts(
    shots: Sequence[Shot],
    terms: Sequence[Word],
    groups: ConceptGroups,
    vectors: WordVectors,
    *,
    detections: np.ndarray,
    matches: np.ndarray,
    sigma_seconds: float = 20.0,
) -> Features:
    """v(s): how much of what is mentioned around a shot is also visible in it.

    `detections` holds f, shots x classes; `matches` M(u) for each of the terms, -1 for none.
    """
    labels = groups.of([term.text for term in terms], vectors)
    member = membership(np.where(matches >= 0, labels, -1), groups.count)
    rows = [
        (near * detections[block][:, matches]) @ member
        for block, near in _nearness(_middles(shots), _times(terms), sigma_seconds)
    ]
    return Features("visual_concepts", _stacked(rows, groups.count), _producer(groups, vectors))


def term_presence(
    shots: Sequence[Shot],
    mentions: Sequence[Word],
    *,
    detections: np.ndarray,
    match: int,
    sigma_seconds: float = 20.0,
) -> np.ndarray:
    """P(s, u) of one term for every shot; the nearest of several mentions counts."""
    nearest = [
        near.max(axis=1) for _, near in _nearness(_middles(shots), _times(mentions), sigma_seconds)
    ]
    presence: np.ndarray = detections[:, match] * np.concatenate(nearest)
    return presence


def match_classes(
    terms: Sequence[str], class_words: Sequence[str], vectors: WordVectors
) -> np.ndarray:
    """M(u): for each term the number of the most similar class, -1 if the term is unknown.

    `class_words` holds every class's words in one text ("sea lion, Otaria"); its vector is their
    mean, scaled to length one.
    """
    distinct = sorted(set(terms))
    class_vectors, _ = vectors.of(class_words)
    term_vectors, known = vectors.of(distinct)
    best = np.argmax(term_vectors @ class_vectors.T, axis=1)
    found = dict(zip(distinct, np.where(known, best, -1).tolist(), strict=True))
    return np.array([found[term] for term in terms], dtype=int)


def membership(labels: np.ndarray, count: int) -> np.ndarray:
    """delta of the paper: terms x groups, one if the term belongs to the group."""
    member: np.ndarray = labels[:, None] == np.arange(count)[None, :]
    return member.astype(float)


BLOCK = 256
"""Number of shots at a time, so that the table of shots by terms of a long film is never in
memory."""


def _nearness(
    shot_times: np.ndarray, term_times: np.ndarray, sigma: float
) -> Iterator[tuple[slice, np.ndarray]]:
    for start in range(0, len(shot_times), BLOCK):
        block = slice(start, start + BLOCK)
        apart = shot_times[block, None] - term_times[None, :]
        yield block, np.exp(-(apart**2) / (2.0 * sigma**2))


def _stacked(rows: Sequence[np.ndarray], count: int) -> np.ndarray:
    return np.concatenate(rows) if rows else np.zeros((0, count))


def _middles(shots: Sequence[Shot]) -> np.ndarray:
    return np.array([shot.span.middle for shot in shots])


def _times(terms: Sequence[Word]) -> np.ndarray:
    return np.array([term.span.middle for term in terms])


def _producer(groups: ConceptGroups, vectors: WordVectors) -> str:
    return f"{groups.count} groups {groups.digest} of {len(groups.words)} terms by {vectors.name}"
