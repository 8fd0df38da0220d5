"""Singular forms of English plurals."""

from __future__ import annotations

_UNCHANGED = """
alias always asbestos athletics atlas bias canvas chaos christmas cosmos ethos gas lens mars
mathematics means news olympics pancreas physics politics series species texas
"""
UNCHANGED = frozenset(_UNCHANGED.split())
"""Words in -s that are not plurals, or whose plural is the same word."""

IRREGULAR = {
    "calves": "calf", "children": "child", "elves": "elf", "feet": "foot",
    "gases": "gas", "geese": "goose", "halves": "half", "hooves": "hoof", "knives": "knife",
    "leaves": "leaf", "lenses": "lens", "lives": "life", "loaves": "loaf", "men": "man",
    "mice": "mouse", "oxen": "ox", "quizzes": "quiz", "scarves": "scarf", "selves": "self",
    "shelves": "shelf", "teeth": "tooth", "thieves": "thief", "wives": "wife", "wolves": "wolf",
    "women": "woman",
}  # fmt: skip

_KEEP_FINAL_E = """
abuses avalanches axes birdies brownies caches calories canoes collies cookies dies does doggies
excuses eyries floes foes fuses genies goalies headaches hippies hoes horseshoes junkies lies
magpies moustaches movies muses mustaches niches oboes pies pixies prairies refuses rookies ruses
selfies shoes smoothies snowshoes throes ties tiptoes toes uses veggies woes zombies
"""
KEEP_FINAL_E = frozenset(_KEEP_FINAL_E.split())
"""Plurals that lose only their -s, although the rules below would remove more."""

ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("tzes", "tz"),
    ("zzes", "zz"), ("ouses", "ouse"), ("auses", "ause"), ("uses", "us"), ("oes", "o"),
)  # fmt: skip
"""Plural endings and their replacements; the first match applies."""


def singular(word: str, language: str = "en") -> str:
    """The lower-case singular of an English noun; words of other languages are unchanged."""
    word = word.lower()
    if language != "en" or word in UNCHANGED:
        return word
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) and word not in KEEP_FINAL_E:
            return word.removesuffix(ending) + instead
    return word.removesuffix("s")
