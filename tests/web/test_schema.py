"""The API keeps what its description promises, whatever it is sent."""

import shutil
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error

from serving import client_of
from storyscope import Library
from storyscope.web import create_app

BUSY = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]


@pytest.fixture(scope="module")
def app(indexed, tmp_path_factory):
    library = Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))
    return create_app(library)


@pytest.fixture(scope="module")
def described(app):
    described = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    return described.exclude(path="/api/v1/events")


def test_no_request_makes_the_server_fail(described):
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 15
    for operation in operations:

        @given(case=operation.as_strategy())
        @settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=BUSY)
        def send(case):
            if case.method in ("GET", "PUT") and "video" in case.path_parameters:
                case.path_parameters["video"] = "film"
            case.call_and_validate(checks=[not_a_server_error], headers={"host": "localhost"})

        send()


@given(name=st.text(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=BUSY)
def test_odd_names_are_unknown_and_nothing_more(app, name):
    client = client_of(app)
    answer = client.get(f"/api/v1/videos/{quote(name, safe='')}/stories")
    assert answer.status_code in (200, 404)
    assert "Traceback" not in answer.text
