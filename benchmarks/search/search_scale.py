"""Search in a library of 1,000 hours: time and memory of a query, and how exact the index is.

    OMP_NUM_THREADS=2 python -m benchmarks.search.search_scale

1,200 videos of 50 minutes are synthesized: 530,000 shots with their most probable classes and a
small picture each, 60,000 stories, a text window every eight seconds whose words are drawn from a
vocabulary by Zipf's law and whose vectors are mixtures of the word vectors of 500 topics. They are
written through the store as indexing would. A separate process then searches through the public
API, including the thumbnail files of all hits. A cold search is a new process.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.search.search_cost import cold_searches
from storyscope import Library
from storyscope.core import Film, Keyframes, Passages, Ratings, Span, Story, Video
from storyscope.search import load_text_model
from storyscope.search.index_files import SEGMENTS
from storyscope.store import PASSAGES, RATINGS, SCAN, TITLES, SqliteStore, Store, VideoRecord

RESULTS = Path(__file__).parents[2] / "docs" / "benchmarks"
MINUTES = 50
SHOTS, STORIES = 442, 50
WINDOW_SECONDS = 8.0
TOPICS = 500


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--videos", type=int, default=1200)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="keep the synthesised library here")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/search_scale.*")
    parser.add_argument("--ask", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(ask(options.folder, options.queries)))
        return
    folder = options.folder or Path(tempfile.mkdtemp(prefix="search-scale-"))
    try:
        facts = measure(folder, options.videos, options.queries)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        common.write_page(
            "search_scale",
            facts,
            f"# Search in 1,000 hours\n\n{table}\n\n"
            "Made by `python -m benchmarks.search.search_scale`.\n",
        )


def measure(folder: Path, videos: int, count: int) -> dict[str, float]:
    store, made = SqliteStore(folder), Maker()
    shutil.rmtree(folder / SEGMENTS, ignore_errors=True)
    for number in range(len(store.ready_keys(TITLES)), videos):
        put(store, number, made)
    command = [
        sys.executable,
        "-m",
        "benchmarks.search.search_scale",
        "--ask",
        "--folder",
        folder,
        "--queries",
        count,
    ]
    done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
    store.remove(f"video{videos:05}")
    return {"videos": videos, **json.loads(done.stdout), **cold_searches(folder)}


def ask(folder: Path, count: int) -> dict[str, float]:
    """Search an existing library, then add a video and search again."""
    library, made = Library(folder), Maker()
    began, started = time.perf_counter(), time.process_time()
    library.search("warm up", limit=1)
    loading, waited = time.process_time() - started, time.perf_counter() - began
    queries = list(made.queries(count))
    walls, cpu, hits = [], [], 0
    for query in queries:
        wall, busy = time.perf_counter(), time.process_time()
        found = library.search(query, limit=10)
        files = [library.picture(hit.video, hit.thumbnail.seconds) for hit in found]
        walls.append(time.perf_counter() - wall)
        cpu.append(time.process_time() - busy)
        hits += len(files)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    index, _ = library._search.searcher.score_stories(queries[0])
    facts = {
        "stories": index.story_count,
        "shots": index.shot_count,
        "text windows": index.window_count,
        "hits a query": round(hits / count, 1),
        "CPU ms a query with its pictures, median": milliseconds(float(np.median(cpu))),
        "CPU ms a query with its pictures, p95": milliseconds(float(np.percentile(cpu, 95))),
        "wall ms a query with its pictures, median": milliseconds(float(np.median(walls))),
        "wall ms a query with its pictures, p95": milliseconds(float(np.percentile(walls, 95))),
        "peak memory of the process, MB": round(memory),
        "first search ever, which reads all videos, CPU s": round(loading, 1),
        "first search ever, which reads all videos, wall s": round(waited, 1),
    }
    started = time.process_time()
    put(SqliteStore(folder), len(index.videos), made)
    writing = time.process_time() - started
    started = time.process_time()
    library.search(queries[0], limit=10)
    facts |= {
        "writing another video, CPU ms": milliseconds(writing),
        "CPU ms of the query after it was added": milliseconds(time.process_time() - started),
    }
    exactness = recall(library, made.model.encode(queries[:20]))
    return facts | {"recall at 20 against exact float32": round(exactness, 4)}


def milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)


class Maker:
    """Synthesizes videos, each reproducible from its number."""

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
        windows, shots = int(60 * MINUTES / WINDOW_SECONDS), SHOTS
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
        """Queries of topic words, of common words, and of words that do not occur."""
        chance = np.random.default_rng(1)
        for number in range(count):
            match number % 3:
                case 0:
                    yield " ".join(self.topics[int(chance.integers(TOPICS))].split()[:2])
                case 1:
                    yield " ".join(chance.choice(self.words[:50], 2))
                case _:
                    yield " ".join(chance.choice(self.words, 3))


@cache
def picture() -> bytes:
    """A JPEG of noise with a quarter of the height of a keyframe."""
    from PIL import Image

    noise = np.random.default_rng(0).integers(256, size=(64, 114, 3), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(noise).save(written, "JPEG", quality=50)
    return written.getvalue()


def put(store: Store, number: int, made: Maker) -> None:
    name = f"video{number:05}"
    video = Video(name, f"/{name}.mp4", name, 60.0 * MINUTES, 75_000, 25.0, 1280, 720, True)
    store.put_record(VideoRecord(video, "indexing", 0, 0))
    passages = made.passages(number)
    edges = np.linspace(0, 60 * MINUTES, STORIES + 1)
    shots = np.linspace(0, SHOTS, STORIES + 1).astype(int)
    stories = tuple(
        Story(
            f"{name}/{n + 1}",
            name,
            range(int(shots[n]), int(shots[n + 1])),
            Span(float(edges[n]), float(edges[n + 1])),
            "Title",
        )
        for n in range(STORIES)
    )
    ones = np.ones(len(passages.shots), np.float32)
    keyframes = Keyframes(
        passages.shots, 25 * np.arange(SHOTS), passages.seconds, (picture(),) * SHOTS
    )
    store.save(name, SCAN, "key", Film((), keyframes, None))
    store.save(name, PASSAGES, "key", passages)
    store.save(name, RATINGS, "key", Ratings(ones, ones, ones, ones, ones, 0 * ones, ones, ""))
    store.save(name, TITLES, "key", stories)
    store.put_record(VideoRecord(video, "ready", 0, 0))


def recall(library: Library, meanings: np.ndarray) -> float:
    """Share of the twenty nearest windows by exact float32 search that the index finds."""
    index, _ = library._search.searcher.score_stories("warm up")
    vectors = (library.store.load(video, PASSAGES).text_vectors for video in index.videos)
    exact = np.concatenate([rows.astype(np.float32) @ meanings.T for rows in vectors])
    shares = []
    for column, meaning in enumerate(meanings):
        near = index.window_cosines(meaning)
        kth = np.sort(exact[:, column])[-20]
        found = np.argsort(-near, kind="stable")[:20]
        shares.append(float((exact[found, column] >= kth - 1e-6).mean()))
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
