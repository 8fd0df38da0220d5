"""Cost of text processing: mining and grouping terms, features, titles, speech, on-screen text.

    python -m benchmarks.words.words                     # everything, a few minutes on two cores
    python -m benchmarks.words.words --only mining       # one part
    python -m benchmarks.words.words --models whisper-tiny.en

Speech is synthesized by espeak-ng from the demo film's narration; LibriVox samples of Debian's
pocketsphinx-testdata are used too, if installed. Every part runs in a separate process, so that its
memory can be measured. Writes docs/benchmarks/words.json and words.md.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

import numpy as np

from benchmarks import common

OUTPUT = common.DOCS
LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
RATE = 16_000


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--only", choices=list(PARTS), help="measure one part")
    parser.add_argument("--models", nargs="*", default=["whisper-tiny.en", "whisper-base"])
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--in-process", metavar="PART", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process:
        part, _, argument = options.in_process.partition(":")
        facts = PARTS[part](argument) if argument else PARTS[part]()
        facts["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(facts))
        return
    parts = [options.only] if options.only else list(PARTS)
    jobs = [
        job
        for part in parts
        for job in ([f"speech:{model}" for model in options.models] if part == "speech" else [part])
    ]
    results = {job: run_alone(job) for job in jobs}
    options.output.mkdir(parents=True, exist_ok=True)
    common.write_page("words", results, as_markdown(results), folder=options.output)


def run_alone(job: str) -> dict[str, float]:
    """Run one part in a new process and return its results."""
    command = [sys.executable, "-m", "benchmarks.words.words", "--in-process", job]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{job} failed:\n{done.stderr}")
    facts: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return facts


def measure_mining() -> dict[str, float]:
    """Measure mining terms from the narration of a fifty-minute documentary."""
    from storyscope.concepts import mine
    from storyscope.transcripts import transcript_of_cues

    lines = narration() * 40
    cues = [(8.0 * number, 8.0 * number + 7, line) for number, line in enumerate(lines)]
    transcript = transcript_of_cues(cues)
    before = time.process_time()
    mine(transcript_of_cues(cues[:2]))
    started = time.process_time()
    mined = mine(transcript)
    seconds = time.process_time() - started
    return {
        "words": len(transcript.words),
        "terms": len(mined.terms),
        "load_cpu_seconds": started - before,
        "cpu_seconds": seconds,
        "words_per_cpu_second": len(transcript.words) / seconds,
    }


def measure_features() -> dict[str, float]:
    """Measure vectors, groups and both features: 4,000 mentions of 1,200 terms, 500 shots."""
    from storyscope.concepts import group_terms, load_vectors, semantic_features
    from storyscope.concepts.detectors import Detections
    from storyscope.core import Mined, Shot, Span, Transition, Word

    started = time.process_time()
    vectors = load_vectors()
    loaded = time.process_time()
    random = np.random.default_rng(0)
    common = [word for word in list(vectors.rows)[500:12_000] if word.isalpha()]
    terms = [str(word) for word in random.choice(common, 1200, replace=False)]
    said = [
        Word(str(random.choice(terms)), Span(float(t), float(t) + 0.4))
        for t in np.sort(random.uniform(0, 3000, 4000))
    ]
    shots = [
        Shot(Span(6.0 * i, 6.0 * i + 6), range(i, i + 1), Transition("cut", i, i))
        for i in range(500)
    ]
    names = tuple(terms[:1150])
    seen = Detections(names, random.random((500, 1150)).astype(np.float32), words=names)
    before = time.process_time()
    group_terms([word.text for word in said], vectors)
    grouped = time.process_time()
    semantic_features(shots, Mined(tuple(said), ()), vectors, seen=seen)
    return {
        "load_cpu_seconds": loaded - started,
        "group_cpu_seconds": grouped - before,
        "groups_and_features_cpu_seconds": time.process_time() - grouped,
    }


def measure_titles() -> dict[str, float]:
    """Measure titles of 60 stories without and with noun phrases from a parser."""
    from storyscope.concepts import mine, title_stories
    from storyscope.core import Span, Story
    from storyscope.transcripts import transcript_of_cues

    lines = narration() * 20
    cues = [(8.0 * number, 8.0 * number + 7, line) for number, line in enumerate(lines)]
    transcript = transcript_of_cues(cues)
    length = 8.0 * len(lines) / 60
    stories = [
        Story(f"film/{i}", "film", range(i, i + 1), Span(i * length, (i + 1) * length))
        for i in range(60)
    ]
    phrases = mine(transcript).phrases
    started = time.process_time()
    title_stories(stories, transcript=transcript)
    plain = time.process_time()
    title_stories(stories, transcript=transcript, phrases=phrases)
    return {
        "words": len(transcript.words),
        "plain_cpu_seconds": plain - started,
        "grammar_cpu_seconds": time.process_time() - plain,
    }


def measure_detectors() -> dict[str, float]:
    """Measure training a concept, and scoring 10,000 concepts on 1,500 keyframes."""
    from storyscope.concepts import TrainedConcepts, train_concepts

    random = np.random.default_rng(0)
    centres = random.normal(size=(5, 1280))
    pictures = {f"c{i}": c + random.normal(size=(100, 1280)) for i, c in enumerate(centres)}
    train_concepts(pictures, producer="warm-up")
    before = time.process_time()
    train_concepts(pictures, producer="benchmark")
    trained = time.process_time()
    many = TrainedConcepts(
        tuple(f"c{i}" for i in range(10_000)),
        random.normal(size=(1280, 10_000)).astype(np.float32),
        np.zeros(10_000, dtype=np.float32),
        "benchmark",
    )
    keyframes = random.normal(size=(1500, 1280)).astype(np.float32)
    scoring = time.process_time()
    many.score(keyframes)
    return {
        "train_cpu_seconds_per_concept": (trained - before) / 5,
        "score_10000_concepts_1500_keyframes_cpu_seconds": time.process_time() - scoring,
    }


def measure_speech(model: str) -> dict[str, float]:
    """Measure CPU and wall time per second of speech, and the word error rate."""
    from storyscope.core import SoundChunk
    from storyscope.transcripts import transcribe
    from storyscope.transcripts.speech import load_recognizer

    started = time.process_time()
    recognizer = load_recognizer(model)
    loaded = time.process_time() - started
    facts: dict[str, float] = {"load_cpu_seconds": loaded}
    spoken = {"synthetic": synthetic_speech()}
    if LIBRIVOX.is_dir():
        spoken["librivox"] = librivox()
    seconds = cpu = clock = 0.0
    for name, (samples, truth) in spoken.items():
        chunks = [
            SoundChunk(first / RATE, samples[first : first + RATE])
            for first in range(0, len(samples), RATE)
        ]
        before, wall = time.process_time(), time.monotonic()
        heard = transcribe(chunks, recognizer=recognizer)
        cpu += time.process_time() - before
        clock += time.monotonic() - wall
        seconds += len(samples) / RATE
        facts[f"{name}_word_error_rate"] = word_error_rate(heard.text(), truth)
    facts["audio_seconds"] = seconds
    facts["cpu_seconds_per_second"] = cpu / seconds
    facts["clock_seconds_per_second"] = clock / seconds
    return facts


def measure_screen() -> dict[str, float]:
    """Measure CPU seconds per keyframe, with two lines of text and without text."""
    from PIL import Image, ImageDraw, ImageFont

    from storyscope.transcripts.screen import load_reader

    started = time.process_time()
    reader = load_reader()
    loaded = time.process_time() - started
    image = Image.new("RGB", (456, 256), (40, 70, 90))
    bare = np.asarray(image)
    draw = ImageDraw.Draw(image)
    draw.text((30, 90), "THE FROZEN PLANET", fill="white", font=ImageFont.load_default(34))
    draw.text((30, 200), "Dr. Helen Marsh", fill="white", font=ImageFont.load_default(18))
    costs = {}
    for name, picture in {"text": np.asarray(image), "no_text": bare}.items():
        reader(picture)
        before = time.process_time()
        for _ in range(10):
            reader(picture)
        costs[f"{name}_cpu_seconds_per_picture"] = (time.process_time() - before) / 10
    return {"load_cpu_seconds": loaded, **costs}


PARTS = {
    "mining": measure_mining,
    "features": measure_features,
    "titles": measure_titles,
    "detectors": measure_detectors,
    "speech": measure_speech,
    "screen": measure_screen,
}


def narration() -> list[str]:
    from storyscope_demo.script import SCRIPT

    return [line for chapter in SCRIPT for line in chapter.narration]


def synthetic_speech() -> tuple[np.ndarray, str]:
    pieces = []
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(narration()):
            path = Path(folder) / f"{number}.wav"
            command = ["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(path), line]
            subprocess.run(command, check=True)
            pieces += [read_wav(path), np.zeros(RATE // 2, dtype=np.float32)]
    return np.concatenate(pieces), " ".join(narration())


def librivox() -> tuple[np.ndarray, str]:
    lines = (LIBRIVOX / "transcription").read_text().splitlines()
    truth = " ".join(re.sub(r"</?s>|\([^)]*\)", "", line) for line in lines)
    pause = np.zeros(RATE // 2, dtype=np.float32)
    pieces = [part for path in sorted(LIBRIVOX.glob("*.wav")) for part in (read_wav(path), pause)]
    return np.concatenate(pieces), truth


def read_wav(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)
        rate = file.getframerate()
    places = np.arange(0, len(samples) - 1, rate / RATE)
    return (np.interp(places, np.arange(len(samples)), samples) / 32768).astype(np.float32)


def word_error_rate(found: str, truth: str) -> float:
    said, wanted = plain_words(found), plain_words(truth)
    row = list(range(len(said) + 1))
    for i, word in enumerate(wanted, start=1):
        above, row[0] = row[0], i
        for j, other in enumerate(said, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (word != other))
    return row[-1] / len(wanted)


def plain_words(text: str) -> list[str]:
    text = text.lower().replace("mister", "mr").replace("-", " ")
    return re.sub(r"[^a-z' ]", "", text).split()


def as_markdown(results: dict[str, dict[str, float]]) -> str:
    lines = ["# Cost of text processing", "", "Measured by `python -m benchmarks.words.words`.", ""]
    lines += ["| part | what | value |", "| --- | --- | --- |"]
    for job, facts in results.items():
        for name, value in facts.items():
            number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
            lines.append(f"| {job.replace(':', ' ')} | {name.replace('_', ' ')} | {number} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
