"""Exported files are read by the programs they are made for."""

import base64
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from films import make_film
from storyscope.core import Span, Video
from storyscope.formats import Entry, Timeline, find_format

TITLES = (
    'He said "no", then left',
    "a = b; c # d \\ e",
    "first line\nsecond line",
    "🐳 whales & <b>birds</b>",
    "שלום עולם",
    "x" * 500,
)
EDGES = (0.0, 0.52, 1.0, 1.48, 2.0, 2.48, 3.0)
RATES = [Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60000, 1001)]


def timeline(rate=Fraction(25), *, nested=False, path="/films/a film.mp4"):
    video = Video("film", str(path), "d", EDGES[-1], 75, float(rate), 192, 108, True)
    spans = [Span(start, end) for start, end in pairwise(EDGES)]
    entries = [Entry(span, title, ("sea",)) for span, title in zip(spans, TITLES, strict=True)]
    halves = [
        half
        for span in spans
        for half in (Span(span.start, span.middle), Span(span.middle, span.end))
    ]
    shots = [Entry(half, f"Shot {number}") for number, half in enumerate(halves, start=1)]
    return Timeline(video, tuple(entries), "ann", tuple(shots) if nested else ())


def run(*words):
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed, so it cannot say whether it accepts our files")
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)


def chapters_of(path):
    shown = run("ffprobe", "-v", "error", "-show_chapters", "-of", "json", path)
    return json.loads(shown.stdout)["chapters"]


def test_ffmpeg_reads_ffmetadata(tmp_path):
    film, facts = make_film(tmp_path / "film.mp4", frame_count=75), tmp_path / "chapters.txt"
    facts.write_text(find_format("ffmetadata").write(timeline()), encoding="utf-8", newline="")
    run("ffmpeg", "-v", "error", "-i", film, "-i", facts, "-map_metadata", "1", "-map_chapters",
        "1", "-map", "0", "-c", "copy", tmp_path / "out.mkv")  # fmt: skip
    chapters = chapters_of(tmp_path / "out.mkv")
    starts = [float(each["start_time"]) for each in chapters]
    assert starts == pytest.approx(EDGES[:-1], abs=0.001)
    assert tuple(each["tags"]["title"] for each in chapters) == TITLES


@pytest.mark.parametrize("nested", [False, True])
def test_mkvmerge_accepts_matroska_chapters(tmp_path, nested):
    film, facts = make_film(tmp_path / "film.mp4", frame_count=75), tmp_path / "chapters.xml"
    facts.write_text(find_format("matroska").write(timeline(nested=nested)), encoding="utf-8")
    out = tmp_path / "out.mkv"
    run("mkvmerge", "-q", "-o", out, "--chapters", facts, film)
    kept = ElementTree.fromstring(run("mkvextract", out, "chapters").stdout)
    atoms = kept.findall("EditionEntry/ChapterAtom")
    assert tuple(atom.findtext("ChapterDisplay/ChapterString") for atom in atoms) == TITLES
    stamps = [atom.findtext("ChapterTimeStart") for atom in atoms]
    assert [float(stamp[6:]) for stamp in stamps] == pytest.approx(EDGES[:-1], abs=1e-6)
    assert [len(atom.findall("ChapterAtom")) for atom in atoms] == [2 * nested] * len(TITLES)


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("nested", [False, True])
def test_opentimelineio_opens_its_timeline(rate, nested):
    otio = pytest.importorskip("opentimelineio")
    opened = otio.adapters.read_from_string(
        find_format("otio").write(timeline(rate, nested=nested)), "otio_json"
    )
    (track,) = opened.tracks
    assert tuple(story.name for story in track) == TITLES
    ranges = [track.range_of_child(story) for story in track]
    starts = [each.start_time.to_seconds() for each in ranges]
    assert starts == pytest.approx(EDGES[:-1], abs=float(1 / rate))
    assert opened.duration().to_seconds() == pytest.approx(EDGES[-1], abs=float(1 / rate))
    assert len(list(opened.find_clips())) == len(TITLES) * (1 + nested)
    assert all(c.media_reference.target_url.endswith("a%20film.mp4") for c in opened.find_clips())


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_another_reader_of_edit_lists_finds_the_stories(rate):
    pytest.importorskip("otio_cmx3600_adapter")
    otio = pytest.importorskip("opentimelineio")
    text = find_format("edl").write(timeline(rate))
    (track,) = otio.adapters.read_from_string(text, "cmx_3600", rate=float(rate)).video_tracks()
    assert [event.name for event in track] == [" ".join(title.split()) for title in TITLES]
    starts = [track.range_of_child(event).start_time.to_seconds() for event in track]
    assert starts == pytest.approx(EDGES[:-1], abs=float(1 / rate))


@pytest.mark.parametrize(("has_sound", "tracks"), [(True, ["V", "A1", "A2"]), (False, ["V"])])
def test_an_edit_list_names_the_film_and_has_the_sound_it_has(has_sound, tracks):
    pytest.importorskip("otio_cmx3600_adapter")
    otio = pytest.importorskip("opentimelineio")
    line = timeline()
    text = find_format("edl").write(replace(line, video=replace(line.video, has_sound=has_sound)))
    opened = otio.adapters.read_from_string(text, "cmx_3600", rate=25.0)
    assert [track.name for track in opened.tracks] == tracks
    for track in opened.tracks:
        assert [event.name for event in track] == [" ".join(title.split()) for title in TITLES]
        comments = [list(event.metadata["cmx_3600"]["comments"]) for event in track]
        assert comments == [["SOURCE FILE: a film.mp4"]] * len(TITLES)


@pytest.mark.parametrize("nested", [False, True])
def test_an_elan_document_has_what_its_schema_requires(tmp_path, nested):
    path = tmp_path / "film.eaf"
    path.write_text(find_format("eaf").write(timeline(nested=nested)), encoding="utf-8")
    root = ElementTree.parse(path).getroot()
    order = ["HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "CONSTRAINT"]
    places = [order.index(child.tag) for child in root]
    assert places == sorted(places)
    assert {"AUTHOR", "DATE", "VERSION"} <= set(root.attrib)
    slots = {slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE")) for slot in root[1]}
    assert list(slots.values()) == sorted(slots.values())
    types = {each.get("LINGUISTIC_TYPE_ID"): each for each in root.findall("LINGUISTIC_TYPE")}
    names = [each.get("ANNOTATION_ID") for each in root.iter("ALIGNABLE_ANNOTATION")]
    assert len(names) == len(set(names)) == len(TITLES) * (1 + 2 * nested)
    used = []
    for tier in root.findall("TIER"):
        assert tier.get("LINGUISTIC_TYPE_REF") in types
        for each in tier.iter("ALIGNABLE_ANNOTATION"):
            start, end = each.get("TIME_SLOT_REF1"), each.get("TIME_SLOT_REF2")
            assert slots[start] < slots[end]
            used += [start, end]
    assert len(used) == len(set(used)) == len(slots)
    for each in types.values():
        stereotypes = [constraint.get("STEREOTYPE") for constraint in root.findall("CONSTRAINT")]
        assert each.get("CONSTRAINTS") is None or each.get("CONSTRAINTS") in stereotypes


def test_another_reader_of_elan_finds_the_stories(tmp_path):
    pympi = pytest.importorskip("pympi")
    path = tmp_path / "film.eaf"
    path.write_text(find_format("eaf").write(timeline(nested=True)), encoding="utf-8")
    opened = pympi.Elan.Eaf(str(path))
    stories = sorted(opened.get_annotation_data_for_tier("stories"))
    assert [each[:2] for each in stories] == [
        (round(start * 1000), round(end * 1000)) for start, end in pairwise(EDGES)
    ]
    assert tuple(each[2] for each in stories) == TITLES
    assert len(opened.get_annotation_data_for_tier("shots")) == 2 * len(TITLES)


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_final_cut_times_are_whole_frames_and_clips_tile_the_film(rate):
    root = ElementTree.fromstring(find_format("fcpxml").write(timeline(rate, nested=True)))
    frame = 1 / rate

    def seconds(text):
        return Fraction(text.removesuffix("s"))

    clips = root.findall(".//spine/asset-clip")
    assert seconds(root.find(".//format").get("frameDuration")) == frame
    for clip, after in pairwise(clips):
        assert seconds(clip.get("offset")) + seconds(clip.get("duration")) == seconds(
            after.get("offset")
        )
    times = [seconds(each.get(name)) for each in clips for name in ("offset", "start", "duration")]
    assert all((time / frame).denominator == 1 for time in times)
    starts = [float(seconds(clip.get("start"))) for clip in clips]
    assert starts == pytest.approx(EDGES[:-1], abs=float(frame))
    assert tuple(clip.get("name") for clip in clips) == TITLES
    assert [len(clip.findall("marker")) for clip in clips] == [1] * len(TITLES)
    assert len({each.get("id") for each in root.find("resources")}) == 2


def test_iiif_ranges_point_into_the_canvas():
    manifest = json.loads(find_format("iiif").write(timeline(nested=True)))
    assert manifest["type"] == "Manifest"
    (canvas,) = manifest["items"]
    assert canvas["items"][0]["items"][0]["target"] == canvas["id"]
    (top,) = manifest["structures"]
    ids = []
    for story, title, start in zip(top["items"], TITLES, EDGES, strict=False):
        part, *shots = story["items"]
        assert story["label"] == {"none": [title]}
        assert re.fullmatch(re.escape(canvas["id"]) + rf"#t={start:.6f},\d+\.\d+", part["id"])
        assert [shot["type"] for shot in shots] == ["Range", "Range"]
        ids += [story["id"], *(shot["id"] for shot in shots)]
    assert len(ids) == len(set(ids)) == 3 * len(TITLES)
    assert all(each.startswith("https://") for each in ids)


def test_the_browser_reads_webvtt_chapters(tmp_path):
    track = base64.b64encode(find_format("webvtt").write(timeline()).encode()).decode()
    page = tmp_path / "page.html"
    page.write_text(
        f"""<!doctype html><meta charset="utf-8"><video>
<track kind="chapters" src="data:text/vtt;base64,{track}"></video><pre id="read"></pre><script>
const track = document.querySelector("track");
track.track.mode = "hidden";
track.onload = () => {{ document.querySelector("pre").textContent = btoa(encodeURIComponent(
  JSON.stringify([...track.track.cues].map(
    cue => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent])))); }};
</script>"""
    )
    sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
    shown = run("chromium", "--headless", *sandbox, "--disable-gpu", "--virtual-time-budget=5000",
                f"--user-data-dir={tmp_path}/profile", "--dump-dom", page.as_uri())  # fmt: skip
    coded = re.search(r'<pre id="read">([^<]+)</pre>', shown.stdout)
    assert coded, shown.stdout
    from urllib.parse import unquote

    cues = json.loads(unquote(base64.b64decode(coded.group(1)).decode()))
    assert [cue[:2] for cue in cues] == [list(each) for each in pairwise(EDGES)]
    assert [cue[2] for cue in cues] == [" ".join(title.split()) for title in TITLES]
