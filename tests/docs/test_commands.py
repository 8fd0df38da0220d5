"""Every command in the docs parses, and every one that can run here runs."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from PIL import Image
from typer.main import get_command

from command_line import storyscope
from docs import make_reference
from storyscope.cli.main import build_app
from storyscope.core import Annotation
from storyscope.formats import find_format
from storyscope.library import Library

ROOT = Path(__file__).parents[2]
FENCED = r"```(?:console|bash|sh)?\n(.*?)```|((?:^    .*\n)+)"
INLINE = r"`(storyscope [a-z][^`]*)`"

CANNOT = {
    r"storyscope (serve|worker)\b": "runs until it is stopped; tests/web and tests/cluster do",
    r"--cluster |postgresql://": "needs a scheduler or a database; tests/cluster and tests/store",
    r"storyscope models get ": "downloads; tests/models run it on files",
    r"storyscope speakers |--speaker": "needs a model; tests/transcripts/test_speakers.py",
    r"storyscope faces |--face": "needs a model; tests/library/test_faces.py",
    r"storyscope reproduce ": "needs the paper's films; `make test-slow` runs it on painted ones",
    r"storyscope demo": "paints for a minute; tests/demo run a small copy",
    r"storyscope train|--preset paper\b": "trains for minutes; tests/library/test_training.py",
    r"storyscope (benchmark|ablation|annotators|ranking) ": "trains; tests/cli/test_benchmark.py",
    r"storyscope concepts train ": "needs photographs; tests/concepts/test_commands.py",
    r"every-second|--format labels": "needs a plugin; tests/test_plugins.py installs it",
    r"image_text=(/|Xenova)": "needs another CLIP; tests/search/test_image_text.py",
    r"--format youtube": "needs half a minute of film; tests/formats/test_labels.py",
    r"--reject ": "needs a gradual transition; tests/library/test_transitions.py",
    r"transcript film --screen": "needs text on screen; tests/transcripts/test_screen.py",
    r"transcript film --sounds": "needs a model; tests/search/test_answers.py has a false one",
    r"add (films/|~/Films)": "indexes copies; tests/cli/test_commands.py adds folders",
    r"add recording.ts": "indexes another film; tests/cli/test_everyday.py adds a part",
    r"storyscope (relink|restore) |/safe/place": "names places; tests/hostile/test_data.py",
    r"storyscope remove ": "would lose annotations; tests/cli/test_commands.py",
    r"--chapters ": "needs a film with chapters inside; tests/cli/test_everyday.py",
}
"""Commands that do not run here, and why."""

SHORTER = {
    "--start 1:00 --end 2:30": "--start 0:05 --end 0:10",
    "film 3 1:21.5": "film 3 0:12.5",
    "3=12:10": "3=0:09",
    "--merge 4 --split 1:02:33": "--merge 2 --split 0:02.5",
    "--reject 12": "--reject 4",
}
"""Times and numbers in the docs, and their replacements for the fifteen-second test film."""


def commands_in(text):
    """Lines of code blocks that call storyscope, without pipes and redirections."""
    for block in re.findall(FENCED, text, re.S | re.M):
        for line in "".join(block).replace("\\\n", " ").splitlines():
            if re.match(r"\s*(\$ )?storyscope [a-z]", line):
                yield re.split(r" [|>] | && |    \(", line.strip().removeprefix("$ "))[0]


def pages():
    """The text of every page; the reference of commands as the code has it now.

    The changelog may name what is gone.
    """
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        if page.parent.name != "reference" and page.name != "CHANGELOG.md":
            yield str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    yield "docs/reference/commands.md", make_reference.pages()["commands.md"]


def words_of(line):
    """The arguments as a shell would split them."""
    return tuple(map(os.path.expanduser, shlex.split(line, comments=True)[1:]))


def runnable(lines, seen):
    """Those that can run here and were not on an earlier page, in whichever library."""
    for line in lines:
        words = words_of(line.replace(" --library archive", ""))
        if not any(re.search(each, line) for each in CANNOT) and words not in seen:
            seen.add(words)
            yield line


PAGES = dict(pages())
LINES = {name: list(commands_in(text)) for name, text in PAGES.items()}
SEEN: set[tuple[str, ...]] = set()
RUN = {name: list(runnable(lines, SEEN)) for name, lines in LINES.items()}
"""The commands that run here, by the page that has them first."""
WRITTEN = sorted(
    {line for lines in LINES.values() for line in lines}
    | {" ".join(line.split()) for text in PAGES.values() for line in re.findall(INLINE, text)}
)


@pytest.fixture(scope="module")
def app():
    return get_command(build_app())


@pytest.mark.parametrize("line", WRITTEN)
def test_every_command_in_the_docs_parses(line, app):
    words = shlex.split(line, comments=True)[1:]
    command = app
    while hasattr(command, "commands"):
        name = next((word for word in words if not word.startswith("-")), None)
        if name is None and command is not app:
            return
        assert name in command.commands
        words.remove(name)
        command = command.commands[name]
    _, left, _ = command.make_parser(typer.Context(command)).parse_args(words)
    assert left == []


def test_every_exception_is_of_a_command_that_is_there_and_has_a_test():
    written = {words_of(line): line for lines in LINES.values() for line in lines}
    assert len(written) > 120
    assert len(SEEN) > 75
    for pattern in CANNOT:
        assert any(re.search(pattern, line) for line in written.values()), pattern
    for path in re.findall(r"tests/[\w/.]+\w", " ".join(CANNOT.values())):
        assert (ROOT / path).exists(), path


@pytest.fixture(scope="module")
def home(indexed, film, tmp_path_factory):
    """A home folder with the libraries and files that the docs mention."""
    home = tmp_path_factory.mktemp("home")
    shutil.copy(film.with_suffix(".srt"), home / "film.srt")
    Image.new("RGB", (64, 36), (210, 160, 60)).save(home / "beach.jpg")
    library = Library(shutil.copytree(indexed, home / "archive"))
    end = library.video("film").duration
    for number, person in enumerate(("ann", "anna", "bob", "dan"), start=1):
        library.annotate("film", Annotation(person, (0.0, 4.0 + number, 10.0), end))
    library.search("camel")  # Copies have its index.
    marked = library.timeline("film", annotator="dan")
    library.discard_annotation("film", "dan")
    for kind, names in FILES.items():
        for name in names.split():
            (home / name).write_text(find_format(kind).write(marked), encoding="utf-8")
    for name in ("ann", "anna", "bob", "carol", "truth", "found"):
        (home / f"{name}.json").write_text('{"end": 15, "starts": [0, 5, 10]}')
    (home / "film.json").write_text('{"end": 180, "starts": [0, 60, 120]}')
    (home / "truth_frames.json").write_text('{"end": 375, "starts": [0, 125, 250]}')
    return home


FILES = {
    "eaf": "anna.eaf annotations.eaf bob.eaf carol.eaf truth.eaf",
    "textgrid": "carol.TextGrid",
    "webvtt": "bob.vtt chapters.vtt",
    "csv": "eve.csv carol.csv found.csv",
}
"""Files of annotators that the docs name, by their format."""


@pytest.mark.parametrize("page", [name for name, lines in RUN.items() if lines])
def test_every_command_of_a_page_runs(page, home, film, monkeypatch):
    library = home / ".storyscope"
    shutil.rmtree(library, ignore_errors=True)
    shutil.copytree(home / "archive", library)
    monkeypatch.setenv("STORYSCOPE_LIBRARY", str(library))
    monkeypatch.chdir(home)
    for line in RUN[page]:
        for long, short in SHORTER.items():
            line = line.replace(long, short)
        ended = storyscope(*words_of(line.replace(" film.mp4", f" {film}")))
        assert ended.returncode == 0, line
