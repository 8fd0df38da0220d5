from __future__ import annotations

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from storyscope.cli.show import print_json
from storyscope.library.health import examine


def doctor(library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False) -> None:
    """Show which parts, models and codecs are installed, and what to install for the rest.

    Example:

        storyscope doctor
    """
    findings = examine(library)
    if json:
        print_json(
            {
                "findings": [
                    {"part": f.part, "name": f.name, "ok": f.ok, "found": f.found, "fix": f.fix}
                    for f in findings
                ]
            }
        )
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    for part in dict.fromkeys(finding.part for finding in findings):
        table = Table(title=part, title_justify="left", title_style="bold", box=None)
        for _ in range(3):
            table.add_column()
        table.show_header = False
        for finding in findings:
            if finding.part == part:
                mark = "[green]ok[/]" if finding.ok else "[yellow]--[/]"
                words = finding.found if finding.ok else finding.fix
                table.add_row(mark, finding.name, escape(words))
        console.print(table)
        console.print()
