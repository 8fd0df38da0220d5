"""Settings are validated when they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.config import (
    PAPER,
    PRESETS,
    Config,
    describe_settings,
    load_config,
    parse_settings,
    to_toml,
    with_settings,
)
from storyscope.errors import InvalidSetting


def write(tmp_path, text):
    path = tmp_path / "storyscope.toml"
    path.write_text(text)
    return path


def test_a_missing_file_gives_the_defaults(tmp_path):
    assert load_config(tmp_path / "none.toml") == Config()


def test_a_file_changes_only_what_it_names(tmp_path):
    config = load_config(write(tmp_path, "[stories]\npenalty = 0.2\n"))
    assert config.stories.penalty == 0.2
    assert config.shots == Config().shots


def test_the_paper_preset_is_a_starting_point(tmp_path):
    config = load_config(write(tmp_path, 'preset = "paper"\n[concepts]\ngroups = 20\n'))
    assert config.stories == PAPER.stories
    assert config.concepts.groups == 20


def test_an_unknown_key_is_refused_with_the_nearest_one(tmp_path):
    with pytest.raises(InvalidSetting, match="did you mean 'penalty'"):
        load_config(write(tmp_path, "[stories]\npenalti = 0.2\n"))
    with pytest.raises(InvalidSetting, match="did you mean 'stories'"):
        load_config(write(tmp_path, "[storys]\npenalty = 0.2\n"))
    with pytest.raises(InvalidSetting, match="preset"):
        load_config(write(tmp_path, 'preset = "papers"'))


@pytest.mark.parametrize(
    "values",
    [{"shots": 3}, {"shots": {"min_shot_seconds": "long"}}, {"concepts": {"groups": 2.5}}],
)
def test_a_value_of_the_wrong_kind_is_refused(values):
    with pytest.raises(InvalidSetting):
        with_settings(Config(), values)


def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path):
    with pytest.raises(InvalidSetting, match=r"storyscope\.toml is not a TOML file"):
        load_config(write(tmp_path, "= = ="))


def test_settings_are_written_on_the_command_line_as_table_name_value():
    tables = parse_settings(["stories.penalty=0.2", "shots.detector=paper", "concepts.groups=7"])
    config = with_settings(Config(), tables)
    assert (config.stories.penalty, config.shots.detector, config.concepts.groups) == (
        0.2,
        "paper",
        7,
    )
    for bad in ["penalty=3", "stories.penalty", "=3"]:
        with pytest.raises(InvalidSetting, match=r"written as stories\.minutes=5"):
            parse_settings([bad])


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_what_is_written_as_toml_reads_back(tmp_path, preset):
    config = with_settings(PRESETS[preset], parse_settings(["stories.penalty=0.2"]))
    assert load_config(write(tmp_path, to_toml(config, preset=preset))) == config


def test_every_setting_is_documented_where_it_lives():
    assert [name for name, _, words in describe_settings(Config()) if not words] == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("features.candidates_per_shot=0", "at least 1, got 0"),
        ("features.map=foo", "must be pooled or full, got 'foo'"),
        ("stories.penalty=abc", "must be auto or paper or a number"),
        ("stories.penalty=-1", "at least 0"),
        ("stories.penalty=nan", "finite"),
        ("thumbnails.beauty=inf", "finite"),
    ],
)
def test_an_invalid_value_is_refused(line, complaint):
    with pytest.raises(InvalidSetting, match=complaint):
        with_settings(Config(), parse_settings([line]))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_whatever_text_a_setting_holds_can_be_read_back(tmp_path_factory, text):
    config = with_settings(Config(), {"concepts": {"vectors": text}})
    path = tmp_path_factory.mktemp("settings") / "storyscope.toml"
    path.write_text(to_toml(config), encoding="utf-8", newline="")
    assert load_config(path) == config
