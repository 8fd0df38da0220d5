"""Sources of a video's transcript: subtitle files, subtitle tracks, speech, text on screen.

`read_transcript(path)` reads a subtitle file of any common format and encoding into a `Transcript`;
`find_sidecar(video_path)` finds the one next to a video; `transcript_of_cues(cues)` converts
(start, end, text) cues from a track in the video; `transcribe(sound)` recognises speech and
`detect_speech(sound)` finds when somebody speaks (extra `speech`), `hear_sounds(sound)` names kinds
of sound and `read_screen(keyframes, shots)` recognises text in the pictures (extra `ocr`).
"""

from storyscope.transcripts.cues import Cue, transcript_of_cues
from storyscope.transcripts.files import read_transcript
from storyscope.transcripts.screen import read_screen
from storyscope.transcripts.sidecar import EXTENSIONS, find_sidecar
from storyscope.transcripts.sounds import chosen_sounds, hear_sounds, sounds_digest
from storyscope.transcripts.speakers import Turn, group_turns, turns_in
from storyscope.transcripts.speech import (
    CPU_MINUTES_PER_HOUR,
    SpeechJournal,
    SpokenPiece,
    check_speech,
    chosen_speech,
    transcribe,
)
from storyscope.transcripts.speech import (
    MODELS as SPEECH_MODELS,
)
from storyscope.transcripts.voice import detect_speech
from storyscope.transcripts.writing import FORMATS, write_transcript

__all__ = [
    "CPU_MINUTES_PER_HOUR",
    "EXTENSIONS",
    "FORMATS",
    "SPEECH_MODELS",
    "Cue",
    "SpeechJournal",
    "SpokenPiece",
    "Turn",
    "check_speech",
    "chosen_sounds",
    "chosen_speech",
    "detect_speech",
    "find_sidecar",
    "group_turns",
    "hear_sounds",
    "read_screen",
    "read_transcript",
    "sounds_digest",
    "transcribe",
    "transcript_of_cues",
    "turns_in",
    "write_transcript",
]
