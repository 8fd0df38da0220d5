"""The speakers and faces of a video, if they were detected: naming them, and searching by name."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from storyscope.web.answers import library_of

router = APIRouter()


class PersonName(BaseModel):
    """What somebody is called; an empty name takes it back."""

    name: str = Field(max_length=100)


@router.get("/speakers")
def list_names(request: Request) -> dict[str, Any]:
    """The names of all speakers in the library, for `speaker=` in a search."""
    return {"names": library_of(request).speaker_names()}


@router.get("/videos/{video}/speakers")
def list_speakers(request: Request, video: str) -> dict[str, Any]:
    """The speakers of a video: number, name, seconds, and the start and end of each turn.

    The list is empty until `storyscope speakers VIDEO` has identified them.
    """
    return {"speakers": library_of(request).speakers(video)}


@router.put("/videos/{video}/speakers/{number}", status_code=204)
def name_speaker(
    request: Request, video: str, number: Annotated[int, Path(ge=1)], given: PersonName
) -> None:
    """Name a speaker of a video."""
    library_of(request).name_speakers(video, {number: " ".join(given.name.split())})


@router.delete("/videos/{video}/speakers", status_code=204)
def forget_speakers(request: Request, video: str) -> None:
    """Delete the turns and names of a video's speakers."""
    library_of(request).forget_speakers(video)


@router.get("/faces")
def list_face_names(request: Request) -> dict[str, Any]:
    """The names of all faces in the library, for `face=` in a search."""
    return {"names": library_of(request).face_names()}


@router.get("/videos/{video}/faces")
def list_faces(request: Request, video: str) -> dict[str, Any]:
    """The faces of a video: number, name, seconds, and the start and end of each appearance.

    The list is empty until `storyscope faces VIDEO` has looked for them.
    """
    return {"faces": library_of(request).faces(video)}


@router.get("/videos/{video}/faces/{number}/picture", response_class=Response)
def face_picture(request: Request, video: str, number: Annotated[int, Path(ge=1)]) -> Response:
    """A face of a video, as a JPEG."""
    content = library_of(request).face_picture(video, number)
    return Response(content, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.put("/videos/{video}/faces/{number}", status_code=204)
def name_face(
    request: Request, video: str, number: Annotated[int, Path(ge=1)], given: PersonName
) -> None:
    """Name a face of a video."""
    library_of(request).name_faces(video, {number: " ".join(given.name.split())})


@router.delete("/videos/{video}/faces", status_code=204)
def forget_faces(request: Request, video: str) -> None:
    """Delete the appearances and names of a video's faces."""
    library_of(request).forget_faces(video)
