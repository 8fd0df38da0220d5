"""A film as a stream for browsers, encoded during playback (in the decoding process).

H.264 and AAC in fragmented MP4 if the encoder is installed, otherwise VP8 and Opus in WebM. The
stream begins at the requested time: to seek, a player requests another stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from storyscope.decoder.clock import FrameClock
from storyscope.decoder.container import Film, Refusal, Terms, open_film
from storyscope.decoder.decode import Decoded, Losses, Opening, decode, frame_seconds, is_steady
from storyscope.decoder.orientation import stand_upright
from storyscope.decoder.outlet import Outlet
from storyscope.decoder.scaling import Scaler
from storyscope.decoder.walking import BACK_OFF_SECONDS, SAME_SECONDS

HIGHEST = 720
"""Maximum height in pixels: larger pictures are scaled down, so that a laptop keeps up with
playback."""
TICKS = 90_000
SOUND_TICKS = 48_000
GAP_SECONDS = 0.1
KEYFRAME_SECONDS = 2.0
PIECE = 1 << 16


@dataclass(frozen=True)
class Recipe:
    """Container and codecs of a stream."""

    type: str
    container: str
    options: dict[str, str]
    picture: str
    picture_options: dict[str, str]
    sound: str


RECIPES = (
    Recipe(
        "video/mp4",
        "mp4",
        {"movflags": "frag_keyframe+empty_moov+default_base_moof", "frag_duration": "500000"},
        "libx264",
        {"preset": "veryfast", "tune": "zerolatency", "crf": "23"},
        "aac",
    ),
    Recipe(
        "video/webm",
        "webm",
        {"live": "1", "cluster_time_limit": "500"},
        "libvpx",
        {"deadline": "realtime", "cpu-used": "8", "b": "2M"},
        "libopus",
    ),
)


def stream(path: str, opening: Opening, terms: Terms, start: float, outlet: Outlet) -> None:
    """Send the film from `start` on, with the first recipe that is available."""
    recipe = next((each for each in RECIPES if _can_make(each)), None)
    if recipe is None:
        raise Refusal("cannot be made playable: no encoder for browsers is installed")
    film, decoded = _from(path, opening, terms, start)
    step = frame_seconds(film.video)
    decoded = (each for each in decoded if _is_on(each, opening.zero + start, step))
    first = next(decoded, None)
    if first is None:
        raise Refusal(f"has no frames after {start:.0f} s")
    outlet.note({"type": recipe.type})
    with _Writer(recipe, film, opening, start, outlet) as writer:
        for each in chain([first], decoded):
            writer.take(each)


class _Writer:
    """Encodes decoded frames and sends them in pieces."""

    def __init__(
        self, recipe: Recipe, film: Film, opening: Opening, start: float, outlet: Outlet
    ) -> None:
        import av

        self._zero, self._start, self._turn = opening.zero, start, opening.look.turn
        step = frame_seconds(film.video)
        self._clock = FrameClock(zero=opening.zero, frame_seconds=step)
        height = 2 * (min(opening.look.height, HIGHEST) // 2) or 2
        self._scaler = Scaler(opening.look, picture_height=height)
        self._out = av.open(_Pipe(outlet), "w", format=recipe.container, options=recipe.options)
        options = {**recipe.picture_options, "g": str(max(1, round(KEYFRAME_SECONDS / step)))}
        picture: Any = self._out.add_stream(recipe.picture, options=options)
        picture.width, picture.height = self._scaler.upright_size
        picture.pix_fmt = "yuv420p"
        picture.time_base = picture.codec_context.time_base = Fraction(1, TICKS)
        self._picture = picture
        self._sound: Any = None
        self._sound_end: int | None = None
        if film.sound is not None:
            self._sound = self._out.add_stream(recipe.sound, rate=SOUND_TICKS, layout="stereo")
            self._sound.bit_rate = 128_000
            self._resampler = self._new_resampler()

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        if kind is None:
            if self._sound is not None:
                self._send_sound(None)
                self._out.mux(self._sound.encode(None))
            self._out.mux(self._picture.encode(None))
            self._out.close()

    def take(self, decoded: Decoded) -> None:
        if decoded.is_sound:
            self._hear(decoded)
        else:
            self._see(decoded)

    def _see(self, decoded: Decoded) -> None:
        seconds = self._clock.stamp(decoded.presented) - self._start
        frame = self._upright(decoded.frame)
        frame.pts, frame.time_base = max(0, round(seconds * TICKS)), Fraction(1, TICKS)
        self._out.mux(self._picture.encode(frame))

    def _hear(self, decoded: Decoded) -> None:
        frame = decoded.frame
        if self._sound is None:
            return
        if decoded.presented is not None:
            at = max(0, round((decoded.presented - self._zero - self._start) * SOUND_TICKS))
            # Small errors of the timestamps would be heard as clicks: only a real gap changes the
            # time.
            if self._sound_end is None or abs(at - self._sound_end) > GAP_SECONDS * SOUND_TICKS:
                self._sound_end = at
        frame.pts = None
        self._send_sound(frame)

    def _send_sound(self, frame: Any) -> None:
        from av.error import FFmpegError

        try:
            parts = self._resampler.resample(frame)
        except (FFmpegError, ValueError):
            # The sound changed in the middle of the film, perhaps its channels: continue with the
            # new format.
            self._resampler, parts = self._new_resampler(), []
        for part in parts:
            part.pts, part.time_base = self._sound_end or 0, Fraction(1, SOUND_TICKS)
            self._sound_end = (self._sound_end or 0) + part.samples
            self._out.mux(self._sound.encode(part))

    def _new_resampler(self) -> Any:
        import av

        size = self._sound.frame_size or SOUND_TICKS // 50
        return av.AudioResampler(self._sound.format.name, "stereo", SOUND_TICKS, size)

    def _upright(self, frame: Any) -> Any:
        import av
        import numpy as np

        if not self._turn:
            return self._scaler.planes(frame)
        scaled = self._scaler.picture(frame)
        rows = np.frombuffer(scaled.plane, np.uint8).reshape(-1, scaled.stride)[: scaled.height]
        rgb = rows[:, : 3 * scaled.width].reshape(scaled.height, scaled.width, 3)
        upright = av.VideoFrame.from_ndarray(stand_upright(rgb, self._turn), format="rgb24")
        return upright.reformat(format="yuv420p")


class _Pipe:
    """A file that can only be written to, without seeking."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet

    def write(self, data: bytes) -> int:
        for first in range(0, len(data), PIECE):
            self._outlet.piece(data[first : first + PIECE])
        return len(data)


def _from(
    path: str, opening: Opening, terms: Terms, start: float
) -> tuple[Film, Iterator[Decoded]]:
    """The film, decoded from a keyframe at or before `start`."""
    from av.error import FFmpegError

    steady = is_steady(open_film(path, terms))
    for back in BACK_OFF_SECONDS:
        if not steady or start - back <= 0:
            break
        film = open_film(path, terms)
        video: Any = film.video
        ticks = int((start - back + opening.zero) / float(video.time_base))
        try:
            film.container.seek(ticks, stream=video)
        except FFmpegError:
            break
        decoded = _decoded(film)
        early = []
        for each in decoded:
            early.append(each)
            if not each.is_sound:
                break
        landed = early[-1].presented if early and not early[-1].is_sound else None
        if landed is not None and landed - opening.zero <= start + frame_seconds(video):
            return film, chain(early, decoded)
        film.close()
    film = open_film(path, terms)
    return film, _decoded(film)


def _is_on(decoded: Decoded, start: float, step: float) -> bool:
    """Whether a frame is shown at `start`, on the file's clock, or later."""
    if decoded.presented is None:
        return True
    lasts = 0.0 if decoded.is_sound else decoded.duration or step
    return decoded.presented + lasts > start + SAME_SECONDS


def _decoded(film: Film) -> Iterator[Decoded]:
    streams = [film.video, film.sound] if film.sound else [film.video]
    return decode(film, *streams, losses=Losses())


def _can_make(recipe: Recipe) -> bool:
    from av.codec import Codec
    from av.codec.codec import UnknownCodecError

    try:
        return all(Codec(name, "w") for name in (recipe.picture, recipe.sound))
    except UnknownCodecError:
        return False
