"""Write XML with arbitrary titles, and read untrusted XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as xml
from xml.parsers import expat

from storyscope.errors import FormatError

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """The text without the characters that XML cannot represent."""
    return _ILLEGAL.sub("", text)


def document(root: xml.Element, *, doctype: str = "") -> str:
    """A whole, indented document."""
    xml.indent(root)
    body = xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{doctype}{body}\n'


@dataclass
class Node:
    """An element of an untrusted file, with its line number."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def all(self, tag: str) -> list[Node]:
        """Children of that name."""
        return [child for child in self.children if child.tag == tag]

    def words(self, tag: str) -> str:
        """The text of the first child with that name, "" if there is none."""
        return next((child.text.strip() for child in self.all(tag)), "")

    def walk(self) -> Iterator[Node]:
        """This element and all inside it, in the file's order."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(node.children))


def parse(path: Path, text: str, *, kind: str, doctype: str = "") -> Node:
    """The tree of a document; entities, or a document type other than `doctype`, are rejected: they
    have no place in these files, and are used to attack readers."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    top = Node("", {}, 1)
    open_nodes = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def characters(data: str) -> None:
        open_nodes[-1].text += data

    def end(tag: str) -> None:
        open_nodes.pop()

    def declared(name: str, system: str | None, public: str | None, subset: bool) -> None:
        if name != doctype or system or public or subset:
            refuse()

    def refuse(*_: object) -> None:
        raise FormatError(
            f"{path}:{parser.CurrentLineNumber}: {kind} declares no entities and no document type"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise FormatError(f"{path}:{error.lineno}: not {kind}: {error}") from error
    return top.children[0]
