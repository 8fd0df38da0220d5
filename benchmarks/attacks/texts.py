"""Mutated subtitles, annotations, settings and pictures, read by the code that commands use."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

from benchmarks.attacks.mutations import BYTES, TEXTS, mutated
from storyscope.config import load_config
from storyscope.core import Span, Story, Video
from storyscope.errors import StoryscopeError
from storyscope.formats import Timeline, find_format, on_one_scale, read_annotations, timeline_of
from storyscope.search.images import read_image
from storyscope.transcripts import read_transcript

SLOW_SECONDS = 20.0
"""CPU seconds that reading one small file may take."""
CUES = (
    (0.5, 2.0, "The whale <i>dives</i>."),
    (2.5, 4.0, "A camel & a dune — “sand”."),
    (4.5, 6.25, "Éclair, naïve, 日本語."),
)
ANNOTATIONS = {
    "youtube": ".txt",
    "webvtt": ".vtt",
    "csv": ".csv",
    "eaf": ".eaf",
    "matroska": ".xml",
    "edl": ".edl",
    "otio": ".otio",
    "fcpxml": ".fcpxml",
    "textgrid": ".textgrid",
    "audacity": ".txt",
    "ffmetadata": ".txt",
    "json": ".json",
}
"""Formats that can be written and read, with their file extension."""


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], None]:
    """Read mutated files, one per attack."""

    def attack(number: int) -> str:
        path = make(seed, number, scratch)
        began = time.process_time()
        try:
            return read(path)
        finally:
            path.unlink(missing_ok=True)
            if time.process_time() - began > SLOW_SECONDS:
                raise TimeoutError(f"{path.name} took {time.process_time() - began:.0f} s")

    return attack, None


def make(seed: int, number: int, folder: Path) -> Path:
    """Write the mutated file of attack `number`."""
    dice = Random(f"texts {seed} {number}")
    names = sorted(seeds())
    name = names[dice.randrange(len(names))]
    kind, suffix = name.split(" ")[0], Path(name).suffix
    data = mutated(seeds()[name], dice, BYTES if kind == "picture" else (*TEXTS, *BYTES[:1]))
    path = folder / f"{kind}-{number}{suffix}"
    path.write_bytes(data)
    return path


def read(path: Path) -> str:
    """Read a file as the command for its kind would."""
    kind = path.name.split("-")[0]
    if kind == "subtitles":
        return f"{len(read_transcript(path, duration=10.0, fps=25.0).words)} words"
    if kind == "annotation":
        found = read_annotations(path, fps=25.0)
        if any(written.unit == "seconds" for written in found):
            return f"{sum(len(each.in_seconds(end=60.0).starts) for each in found)} stories"
        return f"{len(on_one_scale(found).segmentations)} segmentations"
    if kind == "settings":
        return f"{load_config(path).stories.method}"
    return f"{read_image(path).shape}"


@cache
def seeds() -> dict[str, bytes]:
    """Intact files by kind and name; each must be readable before it is mutated."""
    found = {f"subtitles {name}": text.encode() for name, text in _subtitles().items()}
    timeline = whole_timeline()
    for format, suffix in ANNOTATIONS.items():
        write = find_format(format).write
        assert write is not None, format
        found[f"annotation {format}{suffix}"] = write(timeline).encode()
    starts = {"end": 500, "starts": [0, 120, 300], "annotator": "Ann"}
    found["annotation starts.json"] = json.dumps(starts, indent=1).encode()
    found["settings a.toml"] = b'[stories]\nmethod = "cluster"\npenalty = 0.3\n[search]\n'
    return found | {f"picture a{suffix}": data for suffix, data in _pictures().items()}


def _subtitles() -> dict[str, str]:
    def clock(seconds: float, mark: str) -> str:
        return f"00:00:{int(seconds):02d}{mark}{round(seconds % 1 * 1000):03d}"

    srt = "".join(
        f"{number}\n{clock(a, ',')} --> {clock(b, ',')}\n{text}\n\n"
        for number, (a, b, text) in enumerate(CUES, start=1)
    )
    vtt = "WEBVTT\n\nNOTE a remark\n\n" + srt.replace(",", ".")
    ass = "[Script Info]\nTitle: a\n\n[Events]\n"
    ass += "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    ass += "".join(
        f"Dialogue: 0,0:00:{a:05.2f},0:00:{b:05.2f},Default,,0,0,0,,{{\\b1}}{text}\n"
        for a, b, text in CUES
    )
    ttml = '<?xml version="1.0"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div>'
    ttml += "".join(
        f'<p begin="{a}s" end="{b}s">{text.replace("&", "&amp;")}</p>\n' for a, b, text in CUES
    )
    ttml += "</div></body></tt>"
    whisper = {
        "language": "en",
        "segments": [
            {"start": a, "end": b, "text": text, "words": [{"word": "a", "start": a, "end": b}]}
            for a, b, text in CUES
        ],
    }
    sbv = "".join(f"0:00:{a:06.3f},0:00:{b:06.3f}\n{text}\n\n" for a, b, text in CUES)
    sami = "<SAMI><BODY>\n"
    sami += "".join(f"<SYNC Start={round(a * 1000)}><P Class=ENCC>{t}\n" for a, _, t in CUES)
    microdvd = "".join(f"{{{round(a * 25)}}}{{{round(b * 25)}}}{t}\n" for a, b, t in CUES)
    scc = "Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420 94ae 94ae 5448 4520 942f 942f\n"
    youtube = '<?xml version="1.0"?><transcript>'
    youtube += "".join(f'<text start="{a}" dur="{b - a}">a &amp;amp; b</text>' for a, b, _ in CUES)
    return {
        "a.srt": srt,
        "a.vtt": vtt,
        "a.ass": ass,
        "a.ttml": ttml,
        "a.json": json.dumps(whisper, indent=1),
        "a.sbv": sbv,
        "a.smi": sami + "</BODY></SAMI>",
        "a.sub": microdvd,
        "a.scc": scc,
        "a.xml": youtube + "</transcript>",
    }


def whole_timeline() -> Timeline:
    """Three stories of a film, to be written in every format."""
    video = Video("film", "film.mp4", "0" * 64, 60.0, 1500, 25.0, 128, 96, True)
    spans = (Span(0.0, 20.0), Span(20.0, 41.5), Span(41.5, 60.0))
    stories = [
        Story(f"film/{n}", "film", range(n - 1, n), span, f"Story {n}: “&”", ("word",))
        for n, span in enumerate(spans, start=1)
    ]
    return timeline_of(video, stories)


def _pictures() -> dict[str, bytes]:
    from PIL import Image

    found = {}
    for suffix, format in ((".jpg", "JPEG"), (".png", "PNG"), (".webp", "WEBP")):
        kept = BytesIO()
        Image.effect_noise((64, 48), 40).convert("RGB").save(kept, format)
        found[suffix] = kept.getvalue()
    return found


def check_seeds(folder: Path) -> list[str]:
    """The names of intact files that cannot be read, which would make their mutations worthless."""
    wrong = []
    for name, data in seeds().items():
        path = folder / f"{name.split(' ')[0]}-whole{Path(name).suffix}"
        path.write_bytes(data)
        try:
            read(path)
        except StoryscopeError as error:
            wrong.append(f"{name}: {error}")
    return wrong
