"""The HTML report: one file that contains its pictures, its style and its script."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

from storyscope.core import Span, Story, format_time
from storyscope.report.findings import Findings, overlap_ratio
from storyscope.report.palette import story_colour, text_colour

LEAD_WIDTH, STRIP_WIDTH = 640, 192
MOST_FRAMES = 24
"""Maximum number of keyframes of one story; of a longer one, they are evenly spaced."""


def html_report(findings: Findings, path: str | Path, *, film: str | None = None) -> None:
    """Write the page. `film` is the video's address relative to it, if the page may play it."""
    Path(path).write_text(render(findings, film=film), encoding="utf-8")


def render(findings: Findings, *, film: str | None = None) -> str:
    """The page as text."""
    here = files("storyscope.report")
    style = here.joinpath("page.css").read_text(encoding="utf-8")
    script = here.joinpath("page.js").read_text(encoding="utf-8")
    stories = "\n".join(
        _story(findings, number, story, film) for number, story in enumerate(findings.stories)
    )
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(findings.video.id)}: its stories</title>
<style>
{style}</style>
<header class="opening">
<div>
<p class="brand">Storyscope</p>
<h1>{escape(findings.video.id)}</h1>
{_facts(findings)}
</div>
{_player(findings, film)}
</header>
<main>
{_timeline(findings)}
<ol class="stories">
{stories}
</ol>
</main>
<footer>
{_footer(findings)}
</footer>
<script>
{script}</script>
</html>
"""


def _facts(findings: Findings) -> str:
    facts = [
        ("stories", str(len(findings.stories))),
        ("shots", str(len(findings.shots))),
        ("length", format_time(findings.video.duration)),
    ]
    if findings.truth is not None and findings.truth.mean_iou is not None:
        facts.append(("mean IoU with the truth", f"{findings.truth.mean_iou:.3f}"))
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return f'<dl class="facts">{rows}</dl>'


def _player(findings: Findings, film: str | None) -> str:
    if film is None:
        return ""
    poster = findings.picture_of_story(findings.stories[0])
    still = f' poster="{_data(poster, LEAD_WIDTH)}"' if poster else ""
    return (
        f'<video controls playsinline preload="metadata" src="{quote(film)}"{still} '
        f'data-duration="{findings.video.duration:.3f}"></video>'
    )


def _timeline(findings: Findings) -> str:
    rows = []
    if findings.truth is not None:
        titles = [findings.truth.title(number) for number in range(len(findings.truth.spans))]
        rows.append(_strip("truth", findings.truth.spans, titles, findings.found_stories()))
    spans = tuple(story.span for story in findings.stories)
    titles = [story.title for story in findings.stories]
    rows.append(_strip("found", spans, titles, list(range(len(spans)))))
    ticks = [format_time(findings.video.duration * tick / 8) for tick in range(9)]
    clock = "".join(f"<span>{tick}</span>" for tick in ticks)
    strips = "\n".join(rows)
    return (
        f'<section class="timeline" aria-label="Timeline">\n{strips}\n'
        f'<div class="clock" aria-hidden="true">{clock}</div>\n</section>'
    )


def _strip(name: str, spans: tuple[Span, ...], titles: list[str], leads_to: list[int]) -> str:
    """One row of the timeline; each block links to the card of a detected story."""
    blocks = []
    for number, (span, title, story) in enumerate(zip(spans, titles, leads_to, strict=True), 1):
        colour = story_colour(story)
        words = escape(f"{number}. {title or 'Story'}, {_written(span)}")
        blocks.append(
            f'<a href="#story-{story + 1}" title="{words}" aria-label="{words}" '
            f'data-seconds="{span.start:.3f}" '
            f'style="flex:{span.length:.3f} 0 0;background:{colour};color:{text_colour(colour)}">'
            f"{number}</a>"
        )
    return f'<div class="strip"><span>{name}</span><div class="track">{"".join(blocks)}</div></div>'


def _story(findings: Findings, number: int, story: Story, film: str | None) -> str:
    colour = story_colour(number)
    title = story.title or f"Story {number + 1}"
    lead = findings.picture_of_story(story)
    picture = f'<img alt="" src="{_data(lead, LEAD_WIDTH)}">' if lead else ""
    address = f"{quote(film)}#t={story.span.start:.2f}" if film else f"#story-{number + 1}"
    seconds = f' data-seconds="{story.span.start:.3f}"' if film else ""
    keywords = "".join(f"<li>{escape(word)}</li>" for word in story.keywords)
    summary = f"<p>{escape(story.summary)}</p>" if story.summary else ""
    tints = f"--story:{colour};--on-story:{text_colour(colour)}"
    span = _written(story.span)
    return f"""<li class="story" id="story-{number + 1}" style="{tints}">
<a class="lead" href="{address}"{seconds} aria-label="{escape(title)}, {span}">
{picture}<span class="number">{number + 1}</span><span class="span">{span}</span></a>
<div class="words">
<h2>{escape(title)}</h2>
{summary}
<ul class="keywords">{keywords}</ul>
{_true_line(findings, story)}
</div>
<ul class="film">{_filmstrip(findings, story)}</ul>
</li>"""


def _true_line(findings: Findings, story: Story) -> str:
    true = findings.true_story_of(story)
    if true is None or findings.truth is None:
        return ""
    span = findings.truth.spans[true]
    agreement = overlap_ratio(story.span, span)
    title = findings.truth.title(true) or f"story {true + 1}"
    return (
        f'<p class="true">truth: <b>{escape(title)}</b> {_written(span)} '
        f'<meter min="0" max="1" low="0.5" high="0.8" optimum="1" value="{agreement:.3f}"></meter> '
        f"IoU {agreement:.2f}</p>"
    )


def _filmstrip(findings: Findings, story: Story) -> str:
    shots = list(story.shots)
    if len(shots) > MOST_FRAMES:
        shots = [shots[place * len(shots) // MOST_FRAMES] for place in range(MOST_FRAMES)]
    frames = []
    for shot in shots:
        picture = findings.picture_of_shot(shot)
        if picture is not None:
            at = format_time(findings.shots[shot].span.start)
            words = f"Shot {shot + 1}, {at}"
            frames.append(
                f'<li><img alt="{words}" title="{words}" src="{_data(picture, STRIP_WIDTH)}"></li>'
            )
    return "".join(frames)


def _footer(findings: Findings) -> str:
    video = findings.video
    lines = []
    if findings.cues:
        lines.append(f"Cues used: {escape(', '.join(findings.cues))}.")
    lines.append(
        f"{escape(Path(video.path).name)}, {video.width} × {video.height}, "
        f"{video.fps:g} frames per second, content {escape(video.digest[:12])}."
    )
    return "\n".join(f"<p>{line}</p>" for line in lines)


def _written(span: Span) -> str:
    return f"{format_time(span.start)} – {format_time(span.end)}"


def _data(picture: bytes, width: int) -> str:
    """A picture no wider than `width`, as a data URL."""
    from PIL import Image

    with Image.open(BytesIO(picture)) as image:
        if image.width > width:
            height = max(1, round(image.height * width / image.width))
            image.draft("RGB", (width, height))
            smaller = BytesIO()
            image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(
                smaller, "JPEG", quality=82
            )
            picture = smaller.getvalue()
    return f"data:image/jpeg;base64,{b64encode(picture).decode('ascii')}"
