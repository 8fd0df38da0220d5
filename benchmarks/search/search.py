"""Accuracy of search on two films, with the queries in `benchmarks/search/queries`.

    python -m benchmarks.search.search --library DIR --film FILM --truth video.json

The demo film is generated if the library does not have it. Stories are the true ones, so that only
search is measured and not story detection: the demo's own, and for the real film those in the
`video.json` of a benchmark folder, or the detected ones without it. Half of the queries, selected
by the hash of their text, are held out: `--fit` chooses the fusion weights on the other half.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from storyscope import Library
from storyscope.core import Span, Story
from storyscope.search import Searcher
from storyscope.search.paper_search import paper_hits
from storyscope.search.scores import (
    ALL_TERMS,
    MIN_SCORE,
    FusedScores,
    ModalityScores,
    VectorScores,
    Weights,
    fuse,
)
from storyscope.store import TITLES, Artefact
from storyscope_demo import find_demo, make_demo

QUERIES = Path(__file__).parent / "queries"
RESULTS = Path(__file__).parents[2] / "docs" / "benchmarks"
DEMO, REAL = "demo", "big-buck-bunny"
EVEN = 1.0
"""Ceiling of the visual score while weights are chosen: the threshold is then one half."""
SURENESS = (MIN_SCORE, 0.2, 0.5, 0.9, 1.01)
"""Bin edges of the scores."""
PARTS = ("spoken", "topic", "visual", "on_screen", "fused")


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, help="where the films are indexed, or will be")
    parser.add_argument("--film", type=Path, help="the real film, big-buck-bunny.mp4")
    parser.add_argument("--truth", type=Path, help="video.json with the real film's true stories")
    parser.add_argument("--fit", action="store_true", help="choose the weights of the fusion")
    parser.add_argument("--paper", action="store_true", help="rank by the paper's R too (slow)")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/search.*")
    options = parser.parse_args()
    library = Library(options.library or tempfile.mkdtemp(prefix="search-"))
    asked = [
        asked_of(library, film, true_stories(library, film, options.truth), paper=options.paper)
        for film in prepare(library, options.film)
    ]
    if options.fit:
        fit(asked)
        return
    facts = {
        half: {film.name: measure(film, half) for film in asked} for half in ("tuning", "held out")
    }
    print(table(facts))
    if options.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        common.write_page("search", facts, table(facts) + "\n")


@dataclass(frozen=True, eq=False)
class Asked:
    """The queries of one film, with the scores of its stories for each."""

    name: str
    texts: list[str]
    right: list[np.ndarray]
    """For each query, which stories are right; none for off-topic queries."""
    scores: list[ModalityScores]
    paper: list[np.ndarray]
    """The paper's R of every story for each on-topic query, if requested."""

    def numbers(self, half: str, *, on_topic: bool) -> list[int]:
        return [
            n
            for n, text in enumerate(self.texts)
            if is_held_out(text) == (half == "held out") and self.right[n].any() == on_topic
        ]

    def stacked(self, half: str, *, on_topic: bool) -> ModalityScores:
        """The scores of all these queries, one row per query."""
        scores = [self.scores[n] for n in self.numbers(half, on_topic=on_topic)]
        vectors = zip(*(of_query.vectors for of_query in scores), strict=True)
        return ModalityScores(
            VectorScores(*map(np.stack, vectors)),
            spoken=np.stack([of_query.spoken for of_query in scores]),
            on_screen=np.stack([of_query.on_screen for of_query in scores]),
        )


Trial = tuple[ModalityScores, ModalityScores, np.ndarray]
"""Scores for a film's off-topic and on-topic queries, and which stories are right."""


class WithStories:
    """A store that returns other stories for a video."""

    def __init__(self, store: Any, video: str, stories: list[Story] | None) -> None:
        self._store, self._video, self._stories = store, video, stories
        self._load = cache(store.load)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def load(self, video: str, artefact: Artefact[Any]) -> Any:
        if artefact == TITLES and self._stories is not None:
            return tuple(self._stories)
        return self._load(video, artefact)

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        return {self._video: self._store.ready_keys(artefact)[self._video]}


def prepare(library: Library, film: Path | None) -> list[str]:
    known = {record.video.id for record in library.videos()}
    if DEMO not in known:
        folder = library.folder / "films"
        demo = find_demo(folder) or make_demo(folder)
        library.add(demo.video, transcript=demo.transcript)
    if REAL not in known and film is not None:
        library.add(film)
    return [DEMO, *([REAL] if REAL in known or film is not None else [])]


def true_stories(library: Library, film: str, truth: Path | None) -> list[Story] | None:
    if film == DEMO:
        folder = Path(library.video(film).path).parent
        facts = json.loads((folder / "demo.truth.json").read_text())
        spans = [Span(story["start"], story["end"]) for story in facts["stories"]]
    elif truth is None:
        print("no --truth: the real film's stories are those that were found", file=sys.stderr)
        return None
    else:
        facts = json.loads(truth.read_text())
        spans = [Span(a / facts["fps"], b / facts["fps"]) for a, b in facts["stories"]]
    middles = np.array([shot.span.middle for shot in library.shots(film)])
    return [
        Story(f"{film}/{n}", film, shots_in(span, middles), span)
        for n, span in enumerate(spans, start=1)
    ]


def shots_in(span: Span, middles: np.ndarray) -> range:
    first, end = np.searchsorted(middles, [span.start, span.end]).tolist()
    return range(first, end)


def asked_of(library: Library, film: str, stories: list[Story] | None, *, paper: bool) -> Asked:
    marked = json.loads((QUERIES / f"{film}.json").read_text())["queries"]
    off = json.loads((QUERIES / "off-topic.json").read_text())["queries"]
    truth = stories if stories is not None else library.stories(film)
    store = WithStories(library.store, film, stories)
    searcher = Searcher(store, library.config)
    texts = [query["text"] for query in marked] + off
    right = [
        np.array([is_right(story.span, query["answers"]) for story in truth]) for query in marked
    ]
    right += [np.zeros(len(truth), bool)] * len(off)
    asked = texts[: len(marked)] if paper else []
    ranked = [papers_ranking(store, library, text, truth) for text in asked]
    return Asked(film, texts, right, [searcher.score_stories(text)[1] for text in texts], ranked)


def papers_ranking(store: Any, library: Library, text: str, stories: list[Story]) -> np.ndarray:
    hits = paper_hits(store, library.config, text, library.folder)
    scores = {hit.story.id: hit.score for hit in hits}
    return np.array([scores.get(story.id, 0.0) for story in stories])


def is_right(span: Span, answers: list[list[float]]) -> bool:
    """Whether a story and a marked interval overlap by at least half of either."""
    for start, end in answers:
        shared = min(span.end, end) - max(span.start, start)
        if shared > 0 and shared >= 0.5 * min(end - start, span.length):
            return True
    return False


def is_held_out(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def measure(film: Asked, half: str) -> dict[str, Any]:
    fused = [fuse(scores) for scores in film.scores]
    on, off = film.numbers(half, on_topic=True), film.numbers(half, on_topic=False)
    score = [of_query.score for of_query in fused]
    said = [n for n in on if film.scores[n].spoken.max() > ALL_TERMS]
    ranked = {part: [part_of(fused[n], film.scores[n], part) for n in on] for part in PARTS}
    if film.paper:
        ranked["paper's R"] = [film.paper[n] for n in on]
    right = [film.right[n] for n in on]
    return {
        "off_topic": len(off),
        "off_topic_unanswered": mean(score[n].max() < MIN_SCORE for n in off),
        "on_topic": len(on),
        "right_first": mean(is_right_first(score[n], film.right[n]) for n in on),
        "said": len(said),
        "said_right_first": sum(is_right_first(score[n], film.right[n]) for n in said),
        "right_among_five": mean(
            film.right[n][best(score[n], 5)][score[n][best(score[n], 5)] >= MIN_SCORE].any()
            for n in on
        ),
        "parts": {
            part: {
                "recall_at_1": mean(
                    r[s.argmax()] and s.max() > 0 for s, r in zip(scores, right, strict=True)
                ),
                "among_five": mean(
                    r[best(s, 5)][s[best(s, 5)] > 0].any()
                    for s, r in zip(scores, right, strict=True)
                ),
                "ndcg_at_10": mean(ndcg(s, r) for s, r in zip(scores, right, strict=True)),
            }
            for part, scores in ranked.items()
        },
        "chance_first": mean(r.mean() for r in right),
        "sureness": sureness(score, film.right, on + off),
    }


def is_right_first(score: np.ndarray, right: np.ndarray) -> bool:
    """Whether the best story is a hit, and a right one."""
    return bool(right[score.argmax()] and score.max() >= MIN_SCORE)


def sureness(
    scores: list[np.ndarray], right: list[np.ndarray], queries: list[int]
) -> list[dict[str, float]]:
    """Calibration: the number of hits, mean score and share of right hits by range of scores."""
    score = np.concatenate([scores[n] for n in queries])
    true = np.concatenate([right[n] for n in queries])
    return [
        {
            "from": low,
            "answers": int((there := (score >= low) & (score < high)).sum()),
            "score": mean(score[there]) if there.any() else 0.0,
            "right": mean(true[there]) if there.any() else 0.0,
        }
        for low, high in pairwise(SURENESS)
    ]


def part_of(fused: FusedScores, scores: ModalityScores, part: str) -> np.ndarray:
    if part == "fused":
        return fused.score
    if part == "topic":
        return scores.vectors.best_window + scores.vectors.whole_story
    return np.asarray(getattr(fused, part))


def best(scores: np.ndarray, count: int) -> np.ndarray:
    return np.argsort(-scores, kind="stable")[:count]


def ndcg(scores: np.ndarray, right: np.ndarray, *, depth: int = 10) -> float:
    gains = (right & (scores > 0))[best(scores, depth)]
    discounts = 1 / np.log2(np.arange(2, depth + 2))
    ideal = discounts[: min(depth, int(right.sum()))].sum()
    return float((gains * discounts[: len(gains)]).sum() / ideal)


def mean(values: Any) -> float:
    return round(float(np.mean(list(values))), 3)


def table(facts: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| half | film | off-topic: nothing | on-topic: right first | right among five | chance |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for half, films in facts.items():
        for film, m in films.items():
            lines.append(
                f"| {half} | {film} | {m['off_topic_unanswered']:.3f} of {m['off_topic']}"
                f" | {m['right_first']:.3f} of {m['on_topic']} | {m['right_among_five']:.3f}"
                f" | {m['chance_first']:.3f} |"
            )
    lines += [
        "",
        "Each modality alone, whatever its score; those that a film has no data for are left out:",
        "",
        "| half | film | part | recall@1 | among five | nDCG@10 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for half, films in facts.items():
        for film, m in films.items():
            lines += [
                f"| {half} | {film} | {part} | {p['recall_at_1']:.3f}"
                f" | {p['among_five']:.3f} | {p['ndcg_at_10']:.3f} |"
                for part, p in m["parts"].items()
                if p["ndcg_at_10"]
            ]
    for half, films in facts.items():
        lines += [
            f"\nOf the {m['said']} {half} queries of {film} whose words are all said, "
            f"{m['said_right_first']} have their right story first."
            for film, m in films.items()
            if m["said"]
        ]
    lines += [
        "",
        "Calibration of the scores:",
        "",
        "| half | film | score from | answers | mean score | share right |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for half, films in facts.items():
        for film, m in films.items():
            lines += [
                f"| {half} | {film} | {s['from']} | {s['answers']} | {s['score']:.2f}"
                f" | {s['right']:.2f} |"
                for s in m["sureness"]
                if s["answers"]
            ]
    return "\n".join(lines)


def fit(asked: list[Asked]) -> None:
    """Choose the fusion weights on the tuning half.

    Weights of words come from logistic regression, the others from a grid search. Among the weights
    that leave 95 % of the off-topic queries of each film unanswered, it takes those that put the
    right story first most often, and then those that leave most off-topic queries unanswered. The
    scores are then calibrated by maximum likelihood, which also breaks ties.
    """
    from sklearn.linear_model import LogisticRegression

    spoken = next(film for film in asked if film.name == DEMO)
    numbers = [n for n, text in enumerate(spoken.texts) if not is_held_out(text)]
    inputs = [
        np.stack([s.spoken, s.vectors.best_window, s.vectors.whole_story], axis=1)
        for s in (spoken.scores[n] for n in numbers)
    ]
    wanted = np.concatenate([spoken.right[n] for n in numbers])
    words = LogisticRegression(C=10, max_iter=5000).fit(np.concatenate(inputs), wanted)
    spoken_weight, window, story = ((2 * words.coef_[0]).round() / 2).tolist()
    films = [
        (
            film.stacked("tuning", on_topic=False),
            film.stacked("tuning", on_topic=True),
            np.stack([film.right[n] for n in film.numbers("tuning", on_topic=True)]),
        )
        for film in asked
    ]
    trials = []
    for named, visual in product((2.0, 4.0, 6.0, 8.0), (4.0, 6.0, 8.0)):
        for words_offset, visual_offset in product(
            np.arange(-6.6, -4, 0.3), np.arange(-4, -2, 0.2)
        ):
            offsets = (round(float(words_offset), 1), round(float(visual_offset), 1))
            trial = Weights(
                spoken_weight, window, story, offsets[0], named, visual, offsets[1], EVEN
            )
            quiet, first = outcome(films, trial)
            if min(quiet) >= 0.95:
                trials.append((round(sum(first), 3), round(sum(quiet), 3), quiet, first, trial))
    best = max(trial[:2] for trial in trials)
    ties = [trial for trial in trials if trial[:2] == best]
    print(*ties[0][:-1], f"by {len(ties)} of {len(trials)} weights; the likeliest:")
    print(min((surely(films, trial[-1]) for trial in ties), key=lambda found: found[1])[0])


def outcome(trial_of: list[Trial], weights: Weights) -> tuple[list[float], list[float]]:
    quiet, first = [], []
    for off, on, right in trial_of:
        quiet.append(mean(fuse(off, weights).score.max(axis=1) < EVEN / 2))
        score = fuse(on, weights).score
        firsts = right[np.arange(len(score)), score.argmax(axis=1)]
        first.append(mean(firsts & (score.max(axis=1) >= EVEN / 2)))
    return quiet, first


def surely(films: list[Trial], chosen: Weights) -> tuple[Weights, float]:
    """Calibrate the scores by maximum likelihood; return the weights and the negative likelihood.

    Log-odds of words are scaled and probabilities of pictures are lowered. The set of hits does
    not change, and the threshold means the same probability for words and for pictures.
    """
    from scipy.optimize import minimize

    def unlikely(given: np.ndarray) -> float:
        weights, loss = stretched(chosen, *given), 0.0
        for off, on, right in films:
            for scores, true in ((off, np.zeros(off.spoken.shape, bool)), (on, right)):
                answers = fuse(scores, chosen).score >= EVEN / 2
                chance = np.clip(fuse(scores, weights).score[answers], 1e-6, 1 - 1e-6)
                loss -= np.log(np.where(true[answers], chance, 1 - chance)).sum()
        return loss

    found = minimize(unlikely, [1.0, 0.5], method="Nelder-Mead")
    return stretched(chosen, *found.x.tolist()), float(found.fun)


def stretched(weights: Weights, slope: float, ceiling: float) -> Weights:
    """Scale words by a slope and pictures by a ceiling; the threshold is half of the ceiling."""
    just = float(np.log(ceiling / (2 - ceiling)))
    return replace(
        weights,
        spoken=round(slope * weights.spoken, 1),
        best_window=round(slope * weights.best_window, 1),
        whole_story=round(slope * weights.whole_story, 1),
        words_offset=round(slope * weights.words_offset + just, 1),
        visual_ceiling=round(ceiling, 2),
    )


if __name__ == "__main__":
    main()
