"""The speakers of a video, if they were detected: naming them, and searching by name."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from storyscope.web.answers import library_of

router = APIRouter()


class SpeakerName(BaseModel):
    """What a speaker is called; an empty name takes it back."""

    name: str = Field(max_length=100)


@router.get("/speakers")
def list_names(request: Request) -> dict[str, Any]:
    """The names of all speakers in the library, for `speaker=` in a search."""
    return {"names": library_of(request).speaker_names()}


@router.get("/videos/{video}/speakers")
def list_speakers(request: Request, video: str) -> dict[str, Any]:
    """The speakers of a video: number, name, seconds, and the start and end of each turn.

    The list is empty until `storyscope speakers VIDEO` has told them apart.
    """
    return {"speakers": library_of(request).speakers(video)}


@router.put("/videos/{video}/speakers/{number}", status_code=204)
def name_speaker(
    request: Request, video: str, number: Annotated[int, Path(ge=1)], given: SpeakerName
) -> None:
    """Name a speaker of a video."""
    library_of(request).name_speakers(video, {number: " ".join(given.name.split())})


@router.delete("/videos/{video}/speakers", status_code=204)
def forget_speakers(request: Request, video: str) -> None:
    """Delete the turns and names of a video's speakers."""
    library_of(request).forget_speakers(video)
