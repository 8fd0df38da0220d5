"""The API conforms to its OpenAPI description for any request."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.python.asgi import get_client

from serving import client_of
from storyscope import Library
from storyscope.errors import LibraryError
from storyscope.web import create_app

BUSY = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]


class NoWork:
    """An index process that exits at once, because only the responses are tested."""

    def __init__(self, library, path, transcript=None):
        pass

    def __iter__(self):
        return iter(())

    def terminate(self):
        pass


UNMADE = SimpleNamespace(video=Path("demo.mp4"), transcript=None)


def nothing_to_learn(*_, **__):
    raise LibraryError("nothing is learned here")


@pytest.fixture(scope="module")
def app(indexed, tmp_path_factory):
    library = Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storyscope.web.indexing.IndexProcess", NoWork)
        patch.setattr("storyscope.library.training.learn_style", nothing_to_learn)
        patch.setattr("storyscope_demo.make_demo", lambda folder: UNMADE)
        yield create_app(library)


@pytest.fixture(scope="module")
def described(app):
    described = schemathesis.openapi.from_asgi(
        "/api/v1/openapi.json", app, headers={"host": "localhost"}
    )
    return described.exclude(path="/api/v1/events")


def test_no_request_makes_the_server_fail(app, described):
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 15
    ours = {"host": "localhost", "x-storyscope": "1"}
    with get_client(app) as client:
        for operation in operations:

            @given(case=operation.as_strategy())
            @settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=BUSY)
            def send(case):
                if case.method in ("GET", "PUT") and "video" in case.path_parameters:
                    case.path_parameters["video"] = "film"
                # Wait for the response even on a busy machine.
                case.call_and_validate(
                    checks=[not_a_server_error], headers=ours, session=client, timeout=None
                )

            send()


def test_odd_names_are_unknown_and_nothing_more(app):
    client = client_of(app)

    @given(name=st.text(min_size=1, max_size=40))
    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=BUSY)
    def ask(name):
        answer = client.get(f"/api/v1/videos/{quote(name, safe='')}/stories")
        assert answer.status_code in (200, 404)
        assert "Traceback" not in answer.text

    with client:
        ask()
