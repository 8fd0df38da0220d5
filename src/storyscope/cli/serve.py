from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, open_library
from storyscope.errors import LibraryError
from storyscope.library import LocalLibrary


def serve(
    library: LibraryOption = DEFAULT_LIBRARY,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    media: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Folder that videos may be added from; repeatable."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="STORYSCOPE_TOKEN", help="Token that clients must send; generated if needed."
        ),
    ] = None,
) -> None:
    """Serve the library to a browser: watch, search, correct and train.

    Examples:

        storyscope serve

        storyscope serve --port 8080 --media ~/Films

        storyscope serve --host 0.0.0.0
    """
    from storyscope.web import serve as open_page

    opened = open_library(library, create=True)
    if not isinstance(opened, LocalLibrary):
        raise LibraryError(f"{opened.place} is served already; open it in the browser")
    open_page(opened, host=host, port=port, media_folders=tuple(media or ()), token=token)
