"""Write a transcript as a subtitle file, or as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from storyscope.core import Transcript, Word

MAX_WORDS, MAX_SECONDS = 14, 6.0
"""Maximum words and seconds of a subtitle."""
PAUSE_SECONDS = 1.0
"""Seconds of a pause that ends a subtitle."""
PARAGRAPH_SECONDS = 4.0
"""Seconds of a pause that starts a new paragraph of plain text."""


def write_transcript(transcript: Transcript, form: str) -> str:
    """The transcript in one of `FORMATS`."""
    return FORMATS[form](transcript)


def subtitles(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words in groups of readable size: never across a pause, ended by a sentence."""
    group: list[Word] = []
    for word in words:
        if group and (
            word.span.start - group[-1].span.end >= PAUSE_SECONDS
            or word.span.end - group[0].span.start > MAX_SECONDS
            or len(group) >= MAX_WORDS
            or group[-1].text.endswith((".", "!", "?", "…"))
        ):
            yield group
            group = []
        group.append(word)
    if group:
        yield group


def _srt(transcript: Transcript) -> str:
    cues = [
        f"{number}\n{_clock(group[0].span.start, ',')} --> {_end(group, ',')}\n{_text(group)}\n"
        for number, group in enumerate(subtitles(transcript.words), start=1)
    ]
    return "\n".join(cues)


def _vtt(transcript: Transcript) -> str:
    cues = [
        f"{_clock(group[0].span.start, '.')} --> {_end(group, '.')}\n"
        + _text(group).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        + "\n"
        for group in subtitles(transcript.words)
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _plain(transcript: Transcript) -> str:
    paragraphs: list[list[Word]] = []
    for word in transcript.words:
        if not paragraphs or word.span.start - paragraphs[-1][-1].span.end >= PARAGRAPH_SECONDS:
            paragraphs.append([])
        paragraphs[-1].append(word)
    return "".join(f"{_text(words)}\n\n" for words in paragraphs).removesuffix("\n")


FORMATS: dict[str, Callable[[Transcript], str]] = {"srt": _srt, "vtt": _vtt, "text": _plain}
"""Name of a format -> the function that writes it."""


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _end(words: Sequence[Word], point: str) -> str:
    """End of a subtitle, which must be shown long enough to be read."""
    return _clock(max(words[-1].span.end, words[0].span.start + 0.001), point)


def _clock(seconds: float, point: str) -> str:
    milliseconds = round(1000 * seconds)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}{point}{rest % 1000:03}"
