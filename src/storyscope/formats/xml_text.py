"""XML that other programs read, from titles that hold anything."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """The text without the characters that XML cannot hold at all."""
    return _ILLEGAL.sub("", text)


def document(root: xml.Element, *, doctype: str = "") -> str:
    """A whole, indented document."""
    xml.indent(root)
    body = xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{doctype}{body}\n'
