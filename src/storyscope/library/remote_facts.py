"""Convert the API's JSON for stories, shots and hits to the types of a library."""

from __future__ import annotations

from typing import Any

from storyscope.core import Hit, Shot, Span, Story, Thumbnail, Transition


def story_of(video: str, id: str, facts: dict[str, Any]) -> Story:
    span = Span(facts["start"], facts["end"])
    return Story(
        video=video,
        id=id,
        span=span,
        shots=range(*facts["shots"]),
        title=facts["title"],
        keywords=tuple(facts["keywords"]),
        summary=facts.get("summary", ""),
    )


def shot_of(facts: dict[str, Any]) -> Shot:
    first, end = facts["transition_frames"]
    return Shot(
        Span(facts["start"], facts["end"]),
        range(facts["first_frame"], facts["end_frame"]),
        Transition(facts["transition"], first, end, facts.get("confidence", 1.0)),
    )


def hit_of(facts: dict[str, Any]) -> Hit:
    story = story_of(facts["video"], facts["story"]["id"], facts["story"])
    shown, score = facts["thumbnail"], facts["score"]
    return Hit(
        facts["video"],
        story,
        Thumbnail(story.id, shown["seconds"], score, because=shown["because"]),
        score,
        facts["parts"],
        facts["evidence"],
    )
