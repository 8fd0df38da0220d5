"""Voice encoder similarity of recordings of the same voice and of different voices.

    python -m benchmarks.words.speakers [--write]

The recordings come from Debian's `pocketsphinx-testdata`: a LibriVox reader and a person who names
playing cards. Each is cut into pieces of three seconds. This is a small sample: `SAME_VOICE` in
`transcripts/speakers.py` was chosen between the values printed here and validated on nothing else.
"""

from __future__ import annotations

import time
import wave
from pathlib import Path

import numpy as np

from benchmarks import common
from storyscope.features import load_voice_encoder
from storyscope.transcripts.speakers import SAME_VOICE

RECORDINGS = Path("/usr/share/pocketsphinx/test/data")
VOICES = ("librivox", "cards")
RATE, SECONDS = 16_000, 3


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/speakers.*")
    options = parser.parse_args()
    encoder = load_voice_encoder()
    pieces = {voice: pieces_of(voice) for voice in VOICES}
    began = time.process_time()
    heard = {voice: np.stack([encoder.encode(p) for p in of]) for voice, of in pieces.items()}
    spent = time.process_time() - began
    one = np.concatenate([off_diagonal(of @ of.T) for of in heard.values()])
    two = (heard[VOICES[0]] @ heard[VOICES[1]].T).ravel()
    facts = {
        "pieces": sum(map(len, pieces.values())),
        "one_voice_mean": round(float(one.mean()), 3),
        "one_voice_least": round(float(one.min()), 3),
        "two_voices_mean": round(float(two.mean()), 3),
        "two_voices_most": round(float(two.max()), 3),
        "same_voice": SAME_VOICE,
        "cpu_seconds_per_second": round(spent / (SECONDS * sum(map(len, pieces.values()))), 3),
    }
    print(table(facts))
    if options.write:
        common.write_page("speakers", facts, f"# Voices\n\n{table(facts)}\n")


def pieces_of(voice: str) -> list[np.ndarray]:
    """The recordings of a voice, concatenated and cut into pieces of three seconds."""
    sound = []
    for path in sorted((RECORDINGS / voice).glob("*.wav")):
        with wave.open(str(path)) as file:
            sound.append(np.frombuffer(file.readframes(file.getnframes()), "<i2"))
    if not sound:
        raise SystemExit(f"{RECORDINGS / voice} is empty; install pocketsphinx-testdata")
    samples = np.concatenate(sound).astype(np.float32) / 32768
    return np.split(samples, range(SECONDS * RATE, len(samples), SECONDS * RATE))[:-1]


def off_diagonal(square: np.ndarray) -> np.ndarray:
    return np.asarray(square[np.triu_indices(len(square), 1)])


def table(facts: dict) -> str:
    rows = "\n".join(f"| {name.replace('_', ' ')} | {value} |" for name, value in facts.items())
    return f"| what | value |\n| --- | ---: |\n{rows}"


if __name__ == "__main__":
    main()
