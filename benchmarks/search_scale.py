"""Search in a library of 1,000 hours: time and memory of a query, and how exact the index is.

    OMP_NUM_THREADS=2 python benchmarks/search_scale.py

1,200 videos of 50 minutes are synthesised: 530,000 shots with their likeliest classes, 60,000
stories, a text window every eight seconds whose words are drawn from a vocabulary by Zipf's law and
whose vectors are mixtures of the word vectors of 500 topics. They are written through the store as
indexing would, then queries are asked through the same door as everywhere.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.core import Passages, Ratings, Span, Story, Video
from storyscope.search import load_text_model
from storyscope.searching import Searcher
from storyscope.store import SqliteStore, VideoRecord

RESULTS = Path(__file__).parent.parent / "docs" / "benchmarks"
MINUTES = 50
WINDOW_SECONDS = 8.0
TOPICS = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--videos", type=int, default=1200)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="keep the synthesised library here")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/search_scale.*")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="search-scale-"))
    try:
        facts = measure(folder, options.videos, options.queries)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    table = "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        (RESULTS / "search_scale.json").write_text(json.dumps(facts, indent=1) + "\n")
        (RESULTS / "search_scale.md").write_text(table + "\n")


def measure(folder: Path, videos: int, count: int) -> dict[str, float]:
    store, made = SqliteStore(folder), Maker()
    have = len(store.ready_keys("titles"))
    for number in range(have, videos):
        put(store, number, made)
    searcher = Searcher(store, Config())
    started = time.process_time()
    searcher.search("warm up", limit=1)
    loading = time.process_time() - started
    queries = list(made.queries(count))
    walls, cpu, hits = [], [], 0
    for query in queries:
        wall, busy = time.perf_counter(), time.process_time()
        found = searcher.search(query, limit=10)
        walls.append(time.perf_counter() - wall)
        cpu.append(time.process_time() - busy)
        hits += len(found)
    started = time.process_time()
    put(store, videos, made)
    writing = time.process_time() - started
    started = time.process_time()
    searcher.search(queries[0], limit=10)
    after_adding = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    index, _ = searcher.listen(queries[0])
    return {
        "videos": videos,
        "stories": len(index.places),
        "shots": index.shot_count,
        "text windows": index.window_count,
        "hits a query": round(hits / count, 1),
        "CPU ms a query, median": round(1000 * float(np.median(cpu)), 1),
        "CPU ms a query, p95": round(1000 * float(np.percentile(cpu, 95)), 1),
        "wall ms a query, median": round(1000 * float(np.median(walls)), 1),
        "wall ms a query, p95": round(1000 * float(np.percentile(walls, 95)), 1),
        "recall at 20 against exact float32": round(recall(searcher, made, queries[:20]), 4),
        "peak memory, MB": round(memory),
        "loading the whole index, CPU s": round(loading, 1),
        "CPU ms of a query after a video was added": round(1000 * after_adding, 1),
        "writing that video, CPU ms": round(1000 * writing, 1),
    }


class Maker:
    """Synthesises videos, each from its number alone."""

    def __init__(self) -> None:
        self.model = load_text_model("minilm")
        vocabulary = self.model.tokenizer.get_vocab()
        self.words = sorted(w for w in vocabulary if w.isalpha() and w.isascii() and len(w) > 3)
        chance = np.random.default_rng(0)
        chance.shuffle(self.words)
        self.topics = [" ".join(chance.choice(self.words, 4, replace=False)) for _ in range(TOPICS)]
        self.meanings = self.model.encode(self.topics)

    def passages(self, number: int) -> Passages:
        chance = np.random.default_rng(number)
        windows, shots = int(60 * MINUTES / WINDOW_SECONDS), 442
        starts = WINDOW_SECONDS * np.arange(windows)
        topic = np.repeat(chance.integers(TOPICS, size=windows // 8 + 1), 8)[:windows]
        noise = chance.normal(size=(windows, self.meanings.shape[1])) * 0.04
        vectors = self.meanings[topic] + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        ranks = np.minimum(chance.zipf(1.3, size=(windows, 16)), len(self.words)) - 1
        texts = tuple(
            f"{self.topics[t]} " + " ".join(self.words[r] for r in row)
            for t, row in zip(topic, ranks, strict=True)
        )
        shares = -np.sort(-chance.dirichlet(np.full(10, 0.3), size=shots)).astype(np.float16)
        return Passages(
            texts=texts,
            spans=np.stack([starts, starts + 7], axis=1),
            text_vectors=vectors.astype(np.float16),
            seconds=np.linspace(0, 60 * MINUTES - 1, shots),
            shots=np.arange(shots, dtype=np.int32),
            classes=chance.integers(1000, size=(shots, 10)).astype(np.uint16),
            shares=shares,
            language="en",
            producer=self.model.producer,
        )

    def queries(self, count: int) -> Iterator[str]:
        """Words of a topic, common words, and what nobody speaks of."""
        chance = np.random.default_rng(1)
        for number in range(count):
            match number % 3:
                case 0:
                    yield " ".join(self.topics[int(chance.integers(TOPICS))].split()[:2])
                case 1:
                    yield " ".join(chance.choice(self.words[:50], 2))
                case _:
                    yield " ".join(chance.choice(self.words, 3))


def put(store: SqliteStore, number: int, made: Maker) -> None:
    name = f"video{number:05}"
    video = Video(name, f"/{name}.mp4", name, 60.0 * MINUTES, 75_000, 25.0, 1280, 720, True)
    store.put_record(VideoRecord(video, "indexing", 0, 0))
    passages = made.passages(number)
    edges = np.linspace(0, 60 * MINUTES, 51)
    shots = np.linspace(0, len(passages.shots), 51).astype(int)
    stories = tuple(
        Story(
            f"{name}/{n + 1}",
            name,
            range(int(shots[n]), int(shots[n + 1])),
            Span(float(edges[n]), float(edges[n + 1])),
            "Title",
        )
        for n in range(50)
    )
    ones = np.ones(len(passages.shots), np.float32)
    store.save(name, "passages", "key", passages)
    store.save(name, "ratings", "key", Ratings(ones, ones, ones, ones, ones, 0 * ones, ones, ""))
    store.save(name, "titles", "key", stories)
    store.put_record(VideoRecord(video, "ready", 0, 0))


def recall(searcher: Searcher, made: Maker, queries: list[str]) -> float:
    """Share of the twenty windows nearest in float32 that the index finds among its twenty."""
    index, _ = searcher.listen(queries[0])
    videos = [int(video.removeprefix("video")) for video in index.videos]
    senses = made.model.encode(queries)
    exact = np.concatenate(
        [made.passages(v).text_vectors.astype(np.float32) @ senses.T for v in videos]
    )
    shares = []
    for column, meaning in enumerate(senses):
        near = index.window_cosines(meaning)
        kth = np.sort(exact[:, column])[-20]
        found = np.argsort(-near, kind="stable")[:20]
        shares.append(float((exact[found, column] >= kth - 1e-6).mean()))
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
