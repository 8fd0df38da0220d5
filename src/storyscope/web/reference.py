"""The API's own description as a page that needs nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Storyscope API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/reference.css"></head>
<body><main><h1>Storyscope API</h1>
<p>Described for programs in <a href="/api/v1/openapi.json">openapi.json</a>.</p>
{calls}</main></body></html>
"""


def reference_page(description: Mapping[str, Any]) -> str:
    """An OpenAPI description as HTML, one section a call."""
    calls = [
        _call(verb, path, call)
        for path, verbs in description["paths"].items()
        for verb, call in verbs.items()
    ]
    return PAGE.format(calls="\n".join(calls))


def _call(verb: str, path: str, call: Mapping[str, Any]) -> str:
    words = escape(str(call.get("description") or call.get("summary") or ""))
    rows = [_parameter(each) for each in call.get("parameters", ())]
    kinds = ", ".join(call.get("requestBody", {}).get("content", ()))
    if kinds:
        rows.append(f"<tr><td>body</td><td>{escape(kinds)}</td><td></td></tr>")
    answers = ", ".join(sorted(call.get("responses", ())))
    table = f"<table>{''.join(rows)}</table>" if rows else ""
    return (
        f"<section><h2><b>{escape(verb.upper())}</b> {escape(path)}</h2><p>{words}</p>{table}"
        f"<p>Answers {escape(answers)}.</p></section>"
    )


def _parameter(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    kinds = [schema, *schema.get("anyOf", ())]
    kind = " or ".join(str(each["type"]) for each in kinds if "type" in each)
    wanted = "" if parameter.get("required") else ", if you like"
    words = escape(str(parameter.get("description", "")))
    name = escape(str(parameter["name"]))
    return f"<tr><td>{name}</td><td>{escape(kind)}{wanted}</td><td>{words}</td></tr>"
