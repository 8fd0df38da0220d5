"""Sorting and filtering apply to the whole library."""

import shutil
from dataclasses import replace

import pytest

from serving import client_of
from storyscope import Library
from storyscope.web import create_app

NAMES = ("Part 10", "part 2", "Epilogue")


@pytest.fixture(scope="module")
def client(indexed, tmp_path_factory):
    """The film, and three more records: another title, length and date each."""
    library = Library(shutil.copytree(indexed, tmp_path_factory.mktemp("order") / "library"))
    (record,) = library.videos()
    for number in range(1, 1 + len(NAMES)):
        video = replace(
            record.video,
            id=f"v{number}",
            path=f"/v{number}.mp4",
            duration=100.0 * number,
            digest=f"{number}",
        )
        library.store.put_record(
            replace(record, video=video, modified_ns=record.modified_ns + number * 10**9)
        )
    twin = replace(record.video, id="zz", path="/zz.mp4")
    library.store.put_record(replace(record, video=twin, modified_ns=1))
    client = client_of(create_app(library))
    for number, name in enumerate(NAMES, 1):
        assert client.patch(f"/api/v1/videos/v{number}", json={"title": name}).status_code == 204
    return client


def listed(client, **asked):
    answer = client.get("/api/v1/videos", params=asked).json()
    return [video["id"] for video in answer["videos"]], answer["total"]


def test_videos_are_sorted_before_they_are_paged(client):
    assert listed(client) == (["film", "v1", "v2", "v3", "zz"], 5)
    assert listed(client, sort="title") == (["v3", "film", "v2", "v1", "zz"], 5)
    assert listed(client, sort="longest", limit=2) == (["v3", "v2"], 5)
    assert listed(client, sort="longest", limit=2, offset=2) == (["v1", "film"], 5)
    assert listed(client, sort="recent", limit=1) == (["v3"], 5)
    assert client.get("/api/v1/videos", params={"sort": "luck"}).status_code == 422


def test_videos_are_chosen_by_all_words_of_a_title(client):
    assert listed(client, q="PART") == (["v1", "v2"], 2)
    assert listed(client, q="2 part") == (["v2"], 1)
    assert listed(client, q="part of nothing") == ([], 0)


def test_a_second_video_of_the_same_file_names_the_first(client):
    videos = client.get("/api/v1/videos").json()["videos"]
    assert {video["id"]: video["same_as"] for video in videos if video["same_as"]} == {"zz": "film"}


def test_all_that_answers_is_sorted_before_it_is_paged(client):
    asked = {"q": "whale camel owl", "limit": 1}

    def starts(**more):
        found = []
        while True:
            answer = client.get("/api/v1/search", params=asked | more | {"offset": len(found)})
            found += [hit["story"] for hit in answer.json()["hits"]]
            if not answer.json()["more"]:
                return found

    best = starts()
    assert len(best) > 1
    in_order = [story["start"] for story in starts(sort="time")]
    assert in_order == sorted(story["start"] for story in best)
    lengths = [story["end"] - story["start"] for story in starts(sort="longest")]
    assert lengths == sorted(lengths, reverse=True)
