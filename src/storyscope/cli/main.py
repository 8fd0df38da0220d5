"""The `storyscope` command: finds the module of a subcommand, runs it, and prints errors as one
line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption
from storyscope.cli.show import say
from storyscope.errors import StoryscopeError

COMMANDS: dict[str, str] = {
    "demo": "First steps",
    "add": "Library",
    "list": "Library",
    "shots": "Library",
    "stories": "Library",
    "search": "Library",
    "transcript": "Library",
    "speakers": "Library",
    "faces": "Library",
    "thumbnails": "Library",
    "serve": "Library",
    "worker": "Library",
    "export": "Library",
    "import": "Library",
    "edit": "Library",
    "remove": "Library",
    "relink": "Library",
    "check": "Library",
    "copy": "Library",
    "backup": "Library",
    "restore": "Library",
    "train": "Learning",
    "explain": "Learning",
    "concepts": "Learning",
    "score": "Judging",
    "agree": "Judging",
    "benchmark": "Judging",
    "ablation": "Judging",
    "annotators": "Judging",
    "ranking": "Judging",
    "reproduce": "Judging",
    "models": "Set-up",
    "config": "Set-up",
    "doctor": "Set-up",
}
"""Every command and its help panel; `name` lives in `storyscope.cli.name`, or in `name_` if the
name is a Python keyword."""

FORMER_OPTIONS = {"--ablation": "ablation", "--annotators": "annotators", "--thumbnails": "ranking"}
"""Former options of `benchmark`, and the commands that replaced them."""


def main() -> None:
    """Run the command line; errors are printed as one line, with exit code 1."""
    debug = "--debug" in sys.argv
    words = [word for word in sys.argv if word != "--debug"]
    sys.argv = as_written_today(library_last(words))
    try:
        build_app(*(name for name in sys.argv[1:2] if name in COMMANDS))()
    except StoryscopeError as error:
        if debug:
            raise
        say(f"storyscope: {error}")
        raise SystemExit(1) from None
    except OSError as error:
        if debug:
            raise
        where = f"{error.filename}: " if error.filename else ""
        say(f"storyscope: {where}{error.strerror or error}")
        _drop_output()
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("storyscope: stopped", file=sys.stderr)
        raise SystemExit(130) from None


def _drop_output() -> None:
    """Let nothing more be written to standard output, which Python would try again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def library_last(words: list[str]) -> list[str]:
    """Move a `--library` given before the subcommand behind it."""
    match words[1:]:
        case ["--library", place, command, *rest]:
            return [words[0], command, *rest, "--library", place]
        case [option, command, *rest] if option.startswith("--library="):
            return [words[0], command, *rest, option]
    return words


def as_written_today(words: list[str]) -> list[str]:
    """Rewrite `benchmark --ablation` as `ablation`, and so on."""
    former = next((word for word in words if word in FORMER_OPTIONS), None)
    if words[1:2] != ["benchmark"] or former is None:
        return words
    return [words[0], FORMER_OPTIONS[former], *(word for word in words[2:] if word != former)]


@cache
def build_app(*names: str) -> typer.Typer:
    """Load the commands with these names, or all of them, so that running one does not import the
    others."""
    app = typer.Typer(
        name="storyscope",
        help="Find, search and show the stories inside long edited videos.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(root)
    for name in names or COMMANDS:
        python_name = f"{name}_" if iskeyword(name) else name
        module = import_module(f"storyscope.cli.{python_name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name, rich_help_panel=COMMANDS[name])
        else:
            app.command(name, rich_help_panel=COMMANDS[name])(getattr(module, python_name))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"storyscope {version('storyscope')}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    library: LibraryOption = DEFAULT_LIBRARY,
) -> None:
    """Find, search and show the stories inside long edited videos."""
