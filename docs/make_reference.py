"""Write the reference pages of commands, settings and API calls from the code itself.

    make reference

A test fails while a page differs from what this writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from typer.main import get_command

from storyscope.cli.main import build_app
from storyscope.config import Config, describe_settings
from storyscope.library import Library
from storyscope.web import create_app

FOLDER = Path(__file__).parent / "reference"
EXAMPLES = "Examples:"


def main() -> None:
    """Write every page."""
    for name, page in pages().items():
        (FOLDER / name).write_text(page, encoding="utf-8")


def pages() -> dict[str, str]:
    """The reference pages by file name."""
    return {
        "commands.md": "\n".join(_commands()),
        "settings.md": "\n".join(_settings()),
        "api.md": "\n".join(_api()),
    }


def _commands() -> Iterator[str]:
    yield "# Commands\n\nWhat `storyscope COMMAND --help` says, on one page.\n"
    for name, command in _inside(get_command(build_app())).items():
        yield from _command(f"storyscope {name}", command)


def _command(name: str, command: Any) -> Iterator[str]:
    summary, _, rest = re.sub(r"Examples?:", EXAMPLES, command.help or "").partition(EXAMPLES)
    yield f"## `{name}`\n\n{_plain(summary)}\n"
    if rest.strip():
        examples = "\n".join(line.strip() for line in rest.splitlines() if line.strip())
        yield f"```console\n{examples}\n```\n"
    rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
    if rows:
        yield "\n".join(["| | |", "| --- | --- |", *rows]) + "\n"
    for inner, sub in _inside(command).items():
        yield from _command(f"{name} {inner}", sub)


def _inside(command: Any) -> dict[str, Any]:
    """The commands of a group, by name; none for a plain command."""
    return getattr(command, "commands", {})


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    else:
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    return f"| {names} | {_cell(getattr(parameter, 'help', None) or '')} |"


def _settings() -> Iterator[str]:
    yield (
        "# Settings\n\n`storyscope config TABLE.NAME=VALUE` stores a setting in the library's\n"
        "`storyscope.toml`; `storyscope add --set TABLE.NAME=VALUE` uses it once.\n"
    )
    yield "| setting | default | |\n| --- | --- | --- |"
    for name, value, words in describe_settings(Config()):
        yield f"| `{name}` | `{value}` | {_cell(words)} |"
    yield ""


def _api() -> Iterator[str]:
    yield "# API\n\nThe API of `storyscope serve`; `/api/docs` documents it in full.\n"
    yield "| call | |\n| --- | --- |"
    with TemporaryDirectory() as folder:
        schema = create_app(Library(folder)).openapi()
    for path, methods in schema["paths"].items():
        for method, facts in methods.items():
            yield f"| `{method.upper()} {path}` | {_cell(_first_paragraph(facts))} |"
    yield ""


def _first_paragraph(facts: dict[str, Any]) -> str:
    return str(facts.get("description") or facts.get("summary") or "").partition("\n\n")[0]


def _plain(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
