"""Speech recognition with faster-whisper (extra `speech`)."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from storyscope.core import SoundChunk, Span, Transcript, Word
from storyscope.core.language import UNKNOWN
from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.models import (
    SHIPPED,
    cache_folder,
    check_file,
    find_model,
    is_installed,
    may_use_gpu,
)
from storyscope.progress import Report, Step, silent
from storyscope.transcripts.cues import transcript_of_cues
from storyscope.transcripts.json_formats import json_cues
from storyscope.transcripts.listening import RATE, Piece, cut_at_quiet
from storyscope.writing import write_whole

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

AUTO, OFF = "auto", "off"
MODELS = ("whisper-base", "whisper-tiny.en")
"""Speech models in packages, the best first."""
CPU_MINUTES_PER_HOUR = {"whisper-base": 9, "whisper-tiny.en": 5}
"""CPU minutes per hour of speech, from `docs/benchmarks/words.md`."""


@dataclass(frozen=True)
class SpokenPiece:
    """The transcript of one finished chunk of the sound."""

    span: Span
    words: tuple[Word, ...]
    language: str


class Recognizer(Protocol):
    """A model that turns 16 kHz sound into words."""

    def __call__(self, samples: np.ndarray, language: str | None) -> tuple[list[Word], str]:
        """Words with times from the first sample, and their language."""


def transcribe(
    sound: Iterable[SoundChunk],
    *,
    model: str = "whisper-tiny.en",
    language: str = "auto",
    duration: float = 0.0,
    finished: Sequence[SpokenPiece] = (),
    keep: Callable[[SpokenPiece], None] = lambda piece: None,
    recognizer: Recognizer | None = None,
    report: Report = silent,
) -> Transcript:
    """Transcribe a sound track, chunk by chunk.

    Every finished chunk is passed to `keep`; pass the saved ones as `finished` to resume an
    interrupted run. With `language` "auto" the first chunk that contains speech determines it.
    `duration`, in seconds, is for progress only.
    """
    recognizer = recognizer or load_recognizer(model)
    spoken = list(finished)
    resumed = spoken[-1].span.end if spoken else 0.0
    chosen = None if language == "auto" else language
    chosen = chosen or next((piece.language for piece in spoken if piece.words), None)
    began = time.monotonic()
    for piece in cut_at_quiet(sound, overlap_seconds=OVERLAP_SECONDS):
        if piece.end <= resumed + HALF_SAMPLE:
            continue
        words, heard = recognizer(piece.samples, chosen)
        if words and chosen is None:
            chosen = heard
        spoken.append(_placed(piece, words, chosen or heard, after=_last_heard(spoken)))
        keep(spoken[-1])
        report(_step(model, piece.end, resumed, duration, time.monotonic() - began))
    words = [word for piece in spoken for word in piece.words]
    return Transcript(tuple(words), language=chosen or UNKNOWN, source="speech")


class SpeechJournal:
    """Finished chunks of one sound track on disk, so that an interrupted run can resume.

    `key` identifies the sound and settings (file digest, model, language): a journal with another
    key is restarted.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.key = key

    def read(self) -> list[SpokenPiece]:
        """Chunks finished so far; a line that was incomplete at a power failure is left out."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return []
        if lines[0] != json.dumps({"key": self.key}):
            self.path.unlink()
            return []
        pieces = []
        for line in lines[1:]:
            try:
                pieces.append(_piece_of(json.loads(line)))
            except (ValueError, KeyError, TypeError):
                break
        self._rewrite(pieces)
        return pieces

    def append(self, piece: SpokenPiece) -> None:
        if not self.path.exists():
            self._rewrite([])
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(piece)) + "\n")

    def close(self) -> None:
        """Delete the journal after its transcript was stored elsewhere."""
        self.path.unlink(missing_ok=True)

    def _rewrite(self, pieces: Sequence[SpokenPiece]) -> None:
        lines = [{"key": self.key}, *(asdict(piece) for piece in pieces)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        write_whole(self.path, [text.encode()])


def chosen_speech(setting: str, *, language: str = "auto") -> str:
    """The model of a setting: `auto` is the best installed one, or `off`."""
    if setting != AUTO:
        return setting
    if find_spec("faster_whisper") is None:
        return OFF
    if all(is_installed(f"whisper-base-part{number}") for number in (1, 2)):
        return "whisper-base"
    english = language in ("auto", "en")
    return "whisper-tiny.en" if english and is_installed("whisper-tiny.en") else OFF


def check_speech(setting: str) -> None:
    """Raise an error for an unknown speech model before a film is decoded."""
    if setting in (AUTO, OFF):
        return
    try:
        folder = find_speech_model(setting)
    except UnknownName as error:
        raise UnknownName(
            f"no speech model called {setting!r}; transcripts.speech is auto, off, "
            f"{', '.join(MODELS)}, a folder or a hub id (`owner/name`)"
        ) from error
    if not (folder / "model.bin").is_file():
        raise ModelError(f"{folder} is not a faster-whisper model: there is no model.bin in it")


@cache
def load_recognizer(model: str = "whisper-tiny.en", *, threads: int = 2) -> Recognizer:
    """The recogniser for `model`: a shipped name, a folder of CTranslate2 files, or a hub id.

    Voice activity detection skips sound without speech; the model is loaded at the first speech.
    """
    folder = find_speech_model(model)
    try:
        from faster_whisper import vad
    except ImportError as error:
        raise MissingDependency(
            "recognising speech needs faster-whisper, which is not installed; run `pip install "
            "storyscope[speech]`, or put a subtitle file next to the video"
        ) from error
    voice = vad.VadOptions(min_silence_duration_ms=MIN_SILENCE_MS)

    def recognise(samples: np.ndarray, language: str | None) -> tuple[list[Word], str]:
        if not vad.get_speech_timestamps(samples, voice):
            return [], language or UNKNOWN
        segments, heard = _whisper(folder, threads).transcribe(
            samples,
            language=language,
            beam_size=BEAM,
            word_timestamps=True,
            vad_filter=True,
            vad_parameters=voice,
            # An error in one chunk must not affect all that follow.
            condition_on_previous_text=False,
        )
        cues, _ = json_cues({"segments": [_plain(segment) for segment in segments]})
        return list(transcript_of_cues(cues).words), str(heard.language)

    return recognise


@cache
def _whisper(folder: Path, threads: int) -> WhisperModel:
    import ctranslate2
    from faster_whisper import WhisperModel

    on_gpu = may_use_gpu() and ctranslate2.get_cuda_device_count() > 0
    try:
        return WhisperModel(
            str(folder),
            device="cuda" if on_gpu else "cpu",
            compute_type="float16" if on_gpu else "int8",
            cpu_threads=threads,
            local_files_only=True,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelError(f"{folder} is not a faster-whisper model: {error}") from error


def find_speech_model(name: str) -> Path:
    """The folder of a speech model; the base model comes in two packages and is joined once."""
    if name != "whisper-base":
        folder = find_model(name).folder
        folder = folder / "model" if (folder / "model").is_dir() else folder
        # faster-whisper would ask a hub for it.
        if not (folder / "tokenizer.json").is_file():
            raise ModelError(f"{folder} is not a whole speech model: it has no tokenizer.json")
        return folder
    first, second = (find_model(f"whisper-base-part{number}").folder for number in (1, 2))
    whole = cache_folder() / "whisper-base"
    parts = [first / "data" / "model.bin.part1", second / "data" / "model.bin.part2"]
    with suppress(ModelError):
        return _checked_base(whole)
    try:
        whole.mkdir(parents=True, exist_ok=True)
        for file in ("config.json", "tokenizer.json", "vocabulary.txt"):
            shutil.copyfile(first / "data" / file, whole / file)
        write_whole(whole / "model.bin", (part.read_bytes() for part in parts))
    except OSError as error:
        raise ModelError(
            f"the speech model whisper-base could not be put together in {whole} "
            f"({error.strerror}); make room there or set STORYSCOPE_CACHE to another folder"
        ) from error
    return _checked_base(whole)


def _checked_base(whole: Path) -> Path:
    """The folder of the base model, after its files were checked against their digests."""
    pinned = SHIPPED["whisper-base-part1"].files
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        check_file(whole / name, pinned[f"data/{name}"], name="whisper-base", fix=f"delete {whole}")
    check_file(whole / "model.bin", BASE_DIGEST, name="whisper-base", fix=f"delete {whole}")
    return whole


BASE_DIGEST = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
"""SHA-256 of the joined base model."""
BEAM = 5
OVERLAP_SECONDS = 1.0
"""Seconds by which a chunk extends into its neighbours: longer than a word."""
MIN_SILENCE_MS = 500
"""Milliseconds; a shorter silence does not split speech."""
HALF_SAMPLE = 0.5 / 16_000


def _plain(segment: Any) -> dict[str, Any]:
    """A segment in the format of Whisper's own JSON."""
    words = [
        {
            "word": word.word,
            "start": float(word.start),
            "end": float(word.end),
            "probability": float(word.probability),
        }
        for word in segment.words or ()
    ]
    start, end = float(segment.start), float(segment.end)
    return {"start": start, "end": end, "text": segment.text, "words": words}


def _placed(piece: Piece, words: Iterable[Word], language: str, *, after: float) -> SpokenPiece:
    """The words that begin in the chunk, in the video's time.

    A word at the border belongs to the chunk in which it begins: words that end before `after`, the
    end of the last word of the previous chunk, were already recognised there.
    """
    first = piece.start - piece.lead
    last = first + len(piece.samples) / RATE
    placed = []
    for word in words:
        start = min(first + max(0.0, word.span.start), last)
        end = min(first + max(0.0, word.span.end), last)
        if start < piece.end and (start + end) / 2 >= max(after, piece.start):
            placed.append(Word(word.text, Span(start, end), word.confidence))
    return SpokenPiece(Span(piece.start, piece.end), tuple(placed), language)


def _last_heard(spoken: Sequence[SpokenPiece]) -> float:
    words = spoken[-1].words if spoken else ()
    return words[-1].span.end if words else 0.0


def _step(model: str, done: float, resumed: float, duration: float, elapsed: float) -> Step:
    total = max(duration, done)
    left = elapsed * (total - done) / max(done - resumed, 1e-9)
    note = f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left"
    return Step("speech", done, total, note=f"{model}, {note}")


def _piece_of(facts: Any) -> SpokenPiece:
    return SpokenPiece(
        Span(**facts["span"]),
        tuple(
            Word(word["text"], Span(**word["span"]), word["confidence"]) for word in facts["words"]
        ),
        str(facts["language"]),
    )
