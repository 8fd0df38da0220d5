"""The attack campaign: attacks are reproducible, and failures are counted."""

import json
from random import Random

import pytest

from benchmarks import common
from benchmarks.attacks import campaign, exploits, films, texts, web
from benchmarks.attacks.mutations import BYTES, TEXTS, mutated
from benchmarks.attacks.worker import Leaked, Lost, judge
from storyscope.errors import MediaError
from storyscope.web import connections, guard


@pytest.mark.parametrize("mutations", [BYTES, TEXTS])
def test_the_same_seed_makes_the_same_file(mutations):
    data = b"1\n00:00:01,000 --> 00:00:02,000\nA whale.\n" * 20
    made = [mutated(data, Random(number), mutations) for number in range(200)]
    assert made == [mutated(data, Random(number), mutations) for number in range(200)]
    assert sum(each != data for each in made) > 150


def test_a_number_names_a_film(tmp_path):
    (tmp_path / "again").mkdir()
    for number in range(12):
        first = films.make(1, number, tmp_path)
        again = films.make(1, number, tmp_path / "again")
        assert (first.name, first.read_bytes()) == (again.name, again.read_bytes())


def test_whole_texts_can_be_read_and_mutated_ones_do_no_harm(tmp_path):
    assert texts.check_seeds(tmp_path) == []
    attack, _ = texts.attacks(7, tmp_path)
    verdicts = [judge(attack, number) for number in range(60)]
    assert {verdict for verdict, _ in verdicts} == {"fine", "refused"}, verdicts


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (None, "fine"),
        (MediaError("no film"), "refused"),
        (Lost("a film"), "lost"),
        (Leaked("a secret"), "out"),
        (ZeroDivisionError(), "traceback"),
    ],
)
def test_a_verdict_is_the_outcome_of_an_attack(error, verdict):
    def attack(number):
        if error is not None:
            raise error
        return "whole"

    assert judge(attack, 0)[0] == verdict


def test_a_run_is_resumed_and_its_failures_are_in_the_table(tmp_path, monkeypatch):
    class Scripted:
        def __init__(self, kind, seed, first):
            self.number = first

        def next(self, patience):
            number, self.number = self.number, self.number + 1
            return {"number": number, "verdict": "hang" if number == 1 else "fine", "seconds": 1.0}

        def end(self):
            pass

    monkeypatch.setattr(campaign, "Worker", Scripted)
    campaign.run("films", 1, 2, tmp_path, resume=True)
    facts = campaign.run("films", 1, 5, tmp_path, resume=True)
    assert (facts["next"], facts["verdicts"]) == (5, {"fine": 4, "hang": 1})
    assert json.loads((tmp_path / "films-1.json").read_text()) == facts
    assert [failure["number"] for failure in facts["failures"]] == [1]
    page = tmp_path / "docs" / "reliability.md"
    page.parent.mkdir()
    page.write_text("before\n<!-- hostile -->\nwhat was here\n<!-- end of hostile -->\nafter\n")
    monkeypatch.setattr(common, "ROOT", tmp_path)
    assert campaign.report(tmp_path) == 1
    written = page.read_text()
    assert "| 5 | 4 | 0 | 0 | 1 | 0 | 0 | 0 | 1 s |" in written
    assert "what was here" not in written
    assert written.startswith("before\n")
    assert written.endswith("after\n")


def test_failures_are_run_again_after_a_fix(tmp_path, monkeypatch):
    facts = {"kind": "films", "seed": 1, "next": 9, "slowest": 1.0, "seconds": 9.0}
    facts |= {
        "verdicts": {"fine": 7, "hang": 2},
        "failures": [{"number": 3, "verdict": "hang"}] * 2,
    }
    (tmp_path / "films-1.json").write_text(json.dumps(facts))
    verdicts = iter(({"number": 3, "verdict": "refused"}, {"number": 3, "verdict": "crash"}))
    monkeypatch.setattr(campaign.Worker, "__init__", lambda *_: None)
    monkeypatch.setattr(campaign.Worker, "next", lambda *_: next(verdicts))
    monkeypatch.setattr(campaign.Worker, "end", lambda *_: None)
    after = campaign.try_again("films", 1, tmp_path)
    assert after["verdicts"] == {"fine": 7, "hang": 0, "refused": 1, "crash": 1}
    assert (after["next"], [each["verdict"] for each in after["failures"]]) == (9, ["crash"])


@pytest.fixture(scope="module")
def target(indexed, film, tmp_path_factory):
    """A library served with and without a token, with its film in the media folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "GUESS_SECONDS", 0.1)
        patch.setattr(connections, "HEADER_SECONDS", 0.5)
        made = web.make_target(tmp_path_factory.mktemp("target"), indexed, film)
        yield made
        web.close(made)


@pytest.mark.parametrize("exploit", exploits.EXPLOITS, ids=lambda exploit: exploit.name[:50])
def test_no_exploit_does_harm(target, exploit):
    web.carry_out(exploit, target)
    assert [record.video.id for record in target.library.videos()] == ["film"]
    assert not target.library.annotations("film")
