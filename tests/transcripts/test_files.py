"""Every common subtitle format becomes words with times."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core.language import detect_language
from storyscope.errors import TranscriptError
from storyscope.transcripts import Cue, find_sidecar, read_transcript, transcript_of_cues
from storyscope.transcripts.files import parse_cues

SRT = """1
00:00:01,000 --> 00:00:03,000
The polar bear is on the ice.

2
00:00:05,000 --> 00:00:06,000
It waits for a seal.
"""


def read(tmp_path, content, name="film.srt", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_transcript(path, **options)


def said(transcript):
    return transcript.text()


def starts(transcript):
    return {word.text: round(word.span.start, 2) for word in transcript.words}


def test_a_subrip_file_gives_its_words_in_order(tmp_path):
    transcript = read(tmp_path, SRT)
    assert said(transcript) == "The polar bear is on the ice. It waits for a seal."
    assert transcript.language == "en"
    assert transcript.source == "film.srt"


def test_words_share_their_cue_by_their_letters():
    (cue,) = [transcript_of_cues([(10.0, 20.0, "ab cdef ghij")])]
    assert [(w.text, round(w.span.start, 3), round(w.span.end, 3)) for w in cue.words] == [
        ("ab", 10.0, 12.0),
        ("cdef", 12.0, 16.0),
        ("ghij", 16.0, 20.0),
    ]


TTML = """<?xml version="1.0" encoding="utf-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter"
    xml:lang="en" ttp:frameRate="25" ttp:tickRate="1000">
 <head><styling><style xml:id="s1"/></styling></head>
 <body><div begin="10s">
  <p begin="00:00:01.000" end="00:00:03.000">The polar bear<br/>is on <span>the ice.</span></p>
  <p begin="00:00:05:05" dur="25f">It waits for</p>
  <p begin="7000t" end="8000t">a seal.</p>
 </div></body></tt>"""

SRV3 = """<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><ws id="0"/></head>
<body><w t="0" id="1"/><p t="11000" d="2000" w="1"><s ac="255">The</s><s t="500" ac="127"> polar</s>
<s t="900"> bear</s></p><p t="12000" d="10" w="1" a="1">
</p><p t="15000" d="1000">waits &amp; hunts.</p></body></timedtext>"""

VTT = """WEBVTT - a title
Language: en-GB

STYLE
::cue { color: red }

NOTE a remark --> with an arrow

intro
00:11.000 --> 00:13.000 align:start position:0%
<v.loud Attenborough>The <c.yellow>polar</c> <00:12.500>bear &amp; seal</v>

00:15.000 --> 00:16.000
- It waits.
"""

ASS = """[Script Info]
Title: film
[V4+ Styles]
Format: Name, Fontname
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:11.00,0:00:12.00,Default,,0,0,0,,not shown
Dialogue: 0,0:00:11.00,0:00:13.00,Default,,0,0,0,,{\\i1}The polar bear,{\\i0}\\Nis on\\hthe ice.
Dialogue: 0,0:00:15.00,0:00:16.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100{\\p0}
Dialogue: 1,0:00:11.00,0:00:13.00,Default,,0,0,0,,{\\blur3}The polar bear,\\Nis on the ice.
"""


def test_ttml_times_may_be_clocks_frames_ticks_and_count_from_their_parent(tmp_path):
    transcript = read(tmp_path, TTML, "film.ttml")
    assert said(transcript) == "The polar bear is on the ice. It waits for a seal."
    found = starts(transcript)
    assert found["The"] == 11.0
    assert found["It"] == 15.2
    assert found["a"] == 17.0
    assert transcript.words[-1].span.end == pytest.approx(18.0)


def test_youtube_words_keep_their_own_times_and_confidence(tmp_path):
    transcript = read(tmp_path, SRV3, "film.en.srv3")
    assert said(transcript) == "The polar bear waits hunts."
    assert starts(transcript)["polar"] == 11.5
    assert starts(transcript)["bear"] == 11.9
    assert transcript.words[1].confidence == pytest.approx(127 / 255)
    assert starts(transcript)["waits"] == 15.0


def test_webvtt_markup_is_dropped_and_inner_times_are_kept(tmp_path):
    transcript = read(tmp_path, VTT, "film.vtt")
    assert said(transcript) == "The polar bear seal It waits."
    assert starts(transcript)["bear"] == 12.5
    assert starts(transcript)["The"] == 11.0
    assert transcript.language == "en"


def test_substation_comments_drawings_and_layers_are_not_said_twice(tmp_path):
    transcript = read(tmp_path, ASS, "film.ass")
    assert said(transcript) == "The polar bear, is on the ice."
    assert starts(transcript)["The"] == 11.0


def test_whisper_words_keep_start_end_and_probability(tmp_path):
    content = {
        "text": "...",
        "language": "en",
        "segments": [
            {
                "start": 1.0,
                "end": 4.0,
                "text": " Polar bear 42",
                "words": [
                    {"word": " Polar", "start": 1.2, "end": 1.6, "probability": 0.9},
                    {"word": " bear", "start": 2.0, "end": 2.5, "probability": 0.4},
                    {"word": " 42"},
                ],
            },
            {"start": 5.0, "end": 6.0, "text": " on ice"},
        ],
    }
    transcript = read(tmp_path, json.dumps(content), "film.json")
    words = transcript.words
    assert [word.text for word in words] == ["Polar", "bear", "42", "on", "ice"]
    assert (words[0].span.start, words[0].span.end) == (1.2, 1.6)
    assert words[1].confidence == 0.4
    assert words[2].span.end == pytest.approx(4.0)
    assert words[3].span.start == 5.0


@pytest.mark.parametrize(
    "content",
    [
        {"word_segments": [{"word": "bear", "start": 1.0, "end": 2.0, "score": 0.5}]},
        {"transcription": [{"offsets": {"from": 1000, "to": 2000}, "text": " bear"}]},
        {"events": [{"tStartMs": 1000, "dDurationMs": 1000, "segs": [{"utf8": "bear"}]}]},
        [{"start": 1, "end": 2, "text": "bear"}],
    ],
)
def test_other_json_transcripts_are_read_alike(tmp_path, content):
    (word,) = read(tmp_path, json.dumps(content), "film.json").words
    assert (word.text, word.span.start, word.span.end) == ("bear", 1.0, 2.0)


TEXTS = {
    "cp1252": "Où est la forêt où les élèves étaient avec nous ? C'est là que vous êtes né.",
    "cp1250": "Niedźwiedź żyje na lodzie i nie śpi, bo się boi, że już nie ma co jeść. Jest źle.",
    "cp1251": "Белый медведь живёт на льду, и он не знает, что это такое и как это было.",
    "koi8_r": "Белый медведь живёт на льду, и он не знает, что это такое и как это было.",
    "cp1253": "Η πολική αρκούδα ζει στον πάγο και κυνηγάει φώκιες.",
    "cp1254": "Kutup ayısı çok büyük bir hayvan ve bu buzda yaşıyor ama şimdi aç değil gibi.",
    "cp1255": "הדוב הלבן חי על הקרח ואוכל כלבי ים",
    "cp1256": "هذا هو الدب الذي كان في القطب على الجليد مع كل من في البحر",
    "shift_jis": "シロクマは氷の上に住んでいます。アザラシを待っています。",
    "gb18030": "北极熊生活在冰上，它们在等海豹。我们不知道它们的生活。",
    "big5": "北極熊生活在冰上，牠們在等海豹。我們不知道牠們的生活。",
    "euc_kr": "북극곰은 얼음 위에서 살고 있습니다. 물범을 기다립니다.",
    "utf-8": "Où est la forêt? 北极熊",
    "utf-8-sig": "Où est la forêt?",
    "utf-16": "Où est la forêt?",
    "utf-16-le": "Where is the forest? It is over there, and it is green.",
    "utf-16-be": "Where is the forest? It is over there, and it is green.",
    "utf-32": "Où est la forêt?",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_any_encoding_is_read(tmp_path, encoding):
    content = f"1\r\n00:00:01,000 --> 00:00:09,000\r\n{TEXTS[encoding]}\r\n\r\n"
    transcript = read(tmp_path, content.encode(encoding))
    expected = [w for w in TEXTS[encoding].split() if any(map(str.isalnum, w))]
    assert [word.text for word in transcript.words] == expected


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[door slams] Who is there?", "Who is there?"),
        ("(thunder\nrumbles) Rain.", "Rain."),
        ("♪ Oh happy day ♪", "Oh happy day"),
        ("# Oh happy day #", "Oh happy day"),
        ("JOHN: Come here.\nMARY ANN: No.", "Come here. No."),
        (">> REPORTER #2: It rains.", "It rains."),
        ("- Hello.\n- Bye.", "Hello. Bye."),
        ("<font color='#fff'>Hel</font>lo <i>you</i>", "Hello you"),
        ("{\\an8}Up here", "Up here"),
        ("It costs 5 < 6 dollars", "It costs 5 6 dollars"),
        ("Remember: never run.", "Remember: never run."),
        ("At 10:30 sharp", "At 10:30 sharp"),
        ("Don&#39;t &amp; won&apos;t", "Don't won't"),
        ("-5 degrees", "-5 degrees"),
        ("...", ""),
    ],
)
def test_only_what_is_said_is_kept(tmp_path, line, words):
    content = f"1\n00:00:01,000 --> 00:00:02,000\n{line}\n"
    assert said(read(tmp_path, content)) == words


def test_a_name_that_keeps_opening_lines_is_a_speaker():
    lines = ["Dr. Grant: Look.", "Ellie: Where?", "Ellie: Oh.", "Ellie: Wow.", "Remember: run."]
    cues = [(float(i), i + 1.0, line) for i, line in enumerate(lines)]
    assert said(transcript_of_cues(cues)) == "Dr. Grant: Look. Where? Oh. Wow. Remember: run."


def test_unsorted_and_overlapping_cues_come_out_in_time_order():
    cues = [(5.0, 6.0, "third"), (1.0, 4.0, "first long"), (2.0, 3.0, "second")]
    words = transcript_of_cues(cues).words
    assert [word.text for word in words] == ["first", "second", "long", "third"]
    assert all(a.span.start <= b.span.start for a, b in pairwise(words))


def test_hours_may_be_missing_and_blank_lines_misplaced(tmp_path):
    content = "01:02.5 --> 01:04,0\nfirst\n\nstill first\n2\n1:00:00,000-->1:00:01,000\nsecond 7"
    transcript = read(tmp_path, content)
    assert said(transcript) == "first still first second 7"
    assert starts(transcript)["still"] > 62.5
    assert starts(transcript)["second"] == 3600.0


def test_words_past_the_end_of_the_video_are_dropped():
    cues = [(8.0, 12.0, "ab cd"), (11.0, 12.0, "never"), (30.0, 31.0, "seen")]
    words = transcript_of_cues(cues, duration=9.0).words
    assert [(word.text, word.span.end) for word in words] == [("ab", 9.0)]


def test_a_cue_that_ends_before_it_starts_still_gives_words():
    words = transcript_of_cues([(5.0, 3.0, "hello there"), (5.4, 6.0, "you")]).words
    assert [word.text for word in words] == ["hello", "there", "you"]
    assert words[0].span.start == 5.0
    assert words[1].span.end == pytest.approx(5.4)


def test_scrolling_captions_say_every_line_once():
    cues = [
        (0.0, 2.0, "the bear walks"),
        (2.0, 4.0, "the bear walks\nover the ice"),
        (4.0, 6.0, "over the ice\nto the sea"),
    ]
    assert said(transcript_of_cues(cues)) == "the bear walks over the ice to the sea"


def test_a_person_may_say_a_thing_twice():
    cues = [(0.0, 1.0, "No."), (1.5, 2.0, "No."), (3.0, 4.0, "I said no."), (5.0, 6.0, "Go.")]
    assert said(transcript_of_cues(cues)) == "No. No. I said no. Go."


@given(
    st.lists(
        st.tuples(
            st.floats(-5, 100),
            st.floats(-5, 100),
            st.text(st.sampled_from("ab [(:♪-\n"), max_size=20),
        ),
        max_size=8,
    )
)
def test_any_cues_give_ordered_words_inside_the_video(cues):
    words = transcript_of_cues(cues, duration=50.0).words
    times = [word.span.start for word in words]
    assert times == sorted(times)
    assert all(0.0 <= word.span.start <= word.span.end <= 50.0 for word in words)


@given(st.text(max_size=300))
def test_no_text_crashes_the_parsers(text):
    for head in (
        "-->",
        "",
        "WEBVTT\n",
        "[Events]\nDialogue: ",
        "1\n00:00:01,000 --> 00:00:02,000\n",
        "<tt>",
    ):
        try:
            cues, _ = parse_cues(head + text)
        except TranscriptError:
            continue
        assert all(isinstance(cue, Cue) for cue in cues)


@pytest.mark.parametrize(
    "content",
    [
        b"just some text without any times",
        b"an arrow --> that points nowhere",
        b"",
        b"<html><body>hi</body></html>",
        b"<tt><unclosed></tt>",
        b'{"name": "package"}',
        b'{"segments": [',
        b'<!DOCTYPE x [<!ENTITY a "b">]><tt>&a;</tt>',
        bytes(range(256)) * 20,
    ],
)
def test_what_is_no_subtitle_file_is_refused_by_name(tmp_path, content):
    with pytest.raises(TranscriptError, match=r"film\.srt"):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "content",
    [
        "<tt><body>" + "<div>" * 3000 + "</div>" * 3000 + "</body></tt>",
        "<tt><body><p begin='1s' end='2s'>"
        + "<span>" * 3000
        + "</span>" * 3000
        + "</p></body></tt>",
        "[" * 100_000,
    ],
)
def test_a_file_nested_to_crash_its_reader_is_refused(tmp_path, content):
    with pytest.raises(TranscriptError, match=r"film\.srt"):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "content",
    [
        '<timedtext><body><p t="nan" d="1">endless</p></body></timedtext>',
        '{"segments": [{"start": ' + "9" * 400 + ', "end": 1, "text": "endless"}]}',
        '{"segments": [{"start": NaN, "end": Infinity, "text": "endless"}]}',
    ],
)
def test_times_that_are_no_times_give_no_words(tmp_path, content):
    assert read(tmp_path, content).words == ()


def test_a_clock_of_hundreds_of_digits_is_no_clock(tmp_path):
    with pytest.raises(TranscriptError, match="not a subtitle file"):
        read(tmp_path, "1\n" + "9" * 400 + ":00,000 --> 00:00:02,000\nendless\n")


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(TranscriptError, match=r"none\.srt"):
        read_transcript(tmp_path / "none.srt")


def test_the_file_name_gives_the_language_of_few_words(tmp_path):
    content = "1\n00:00:01,000 --> 00:00:02,000\nOslo\n"
    assert read(tmp_path, content, "film.no.srt").language == "no"
    assert read(tmp_path, content, "film.srt").language == "und"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The bear was on the ice and they saw it there."),
        ("de", "Der Bär ist auf dem Eis und wartet nicht auf uns."),
        ("fr", "Les ours sont dans la mer et nous ne les voyons pas."),
        ("es", "Los osos están en el hielo y no se van porque hay focas."),
        ("it", "Gli orsi sono nel mare e non si vedono più, ma questo è il mare."),
        ("pt", "Os ursos não estão no gelo e você sabe que isso é muito ruim."),
        ("nl", "De beren zijn op het ijs en ze wachten niet op een zeehond."),
        ("sv", "Björnarna är på isen och de väntar inte på att säla ska komma från havet."),
        ("pl", "Niedźwiedzie są na lodzie i nie wiedzą, że to jest już koniec."),
        ("ru", "Медведи на льду, и они не знают, что это за зверь."),
        ("tr", "Ayılar buzda ve bu çok güzel bir şey ama değil gibi."),
        ("ja", "熊は氷の上にいます"),
        ("zh", "熊在冰上"),
        ("ko", "곰은 얼음 위에 있다"),
        ("und", "Brrr 1234 xyzzy"),
    ],
)
def test_the_language_is_detected_from_the_words(code, text):
    assert detect_language(text) == code


def make(folder, *names):
    folder.mkdir(exist_ok=True, parents=True)
    for name in names:
        (folder / name).write_text(SRT)


def test_the_file_named_like_the_video_is_found(tmp_path):
    make(tmp_path, "film.mp4", "film.srt", "film.en.srt", "film 2.srt", "other.srt")
    assert find_sidecar(tmp_path / "film.mp4").name == "film.srt"
    assert find_sidecar(tmp_path / "film.mp4", language="en").name == "film.en.srt"
    assert find_sidecar(tmp_path / "nothing.mp4") is None
    assert find_sidecar(tmp_path / "gone" / "film.mp4") is None


def test_full_subtitles_in_the_wanted_language_come_first(tmp_path):
    make(tmp_path, "film.en.forced.srt", "film.fr.srt", "film.pt-BR.vtt", "film.English.SRT")
    assert find_sidecar(tmp_path / "film.mp4").name == "film.English.SRT"
    assert find_sidecar(tmp_path / "film.mp4", language="pt").name == "film.pt-BR.vtt"
    assert find_sidecar(tmp_path / "film.mp4", language="ja").name != "film.en.forced.srt"


def test_a_subs_folder_and_names_with_odd_signs_are_searched(tmp_path):
    make(tmp_path / "Subs", "Film [1080p] *.eng.srt")
    assert find_sidecar(tmp_path / "film [1080p] *.mkv").name == "Film [1080p] *.eng.srt"


def test_files_of_other_programs_are_not_taken_for_subtitles(tmp_path):
    make(tmp_path, "film.part2.srt", "film.json", "film.info.json")
    assert find_sidecar(tmp_path / "film.mp4") is None
    (tmp_path / "film.json").write_text(json.dumps({"segments": []}))
    assert find_sidecar(tmp_path / "film.mp4").name == "film.json"
