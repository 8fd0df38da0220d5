"""Files made to hang, crash or confuse a reader give one clear error quickly."""

import json

import pytest

from storyscope.errors import StoryscopeError
from storyscope.formats import read_annotations

LONG = "9" * 5000
HOSTILE = {
    "exponent.fcpxml": '<fcpxml version="1.9"><spine><asset-clip offset="1e100000000s" '
    'duration="1s" name="a"/></spine></fcpxml>',
    "digits.fcpxml": f'<fcpxml version="1.9"><spine><asset-clip offset="{LONG}s" '
    'duration="1s"/></spine></fcpxml>',
    "timebase.txt": ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1e100000000\nSTART=0\nEND=1\n",
    "start.txt": f";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART={LONG}\nEND=1\n",
    "digits.json": f'{{"end": {LONG}, "starts": [0]}}',
    "digits.csv": f"start,end\n0,{LONG}\n",
    "space.csv": "start,end\n0,1\u00a0234\n",
    "field.csv": f'start,title\n0,"{"a" * 200_000}\n',
    "marker.edl": "001  001      V     C        "
    + "01:00:00:00 " * 4
    + "\n |C:a "
    + " |M:" * 100_000,
    "slots.eaf": '<A><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" '
    f'TIME_VALUE="{LONG}"/></TIME_ORDER></A>',
    "tracks.otio": '{"OTIO_SCHEMA":"Timeline.1","tracks":null}',
    "children.otio": json.dumps(
        {"OTIO_SCHEMA": "Timeline.1", "tracks": {"children": [{"OTIO_SCHEMA": "Track.1"}]}}
    ),
    "rate.otio": json.dumps(
        {
            "OTIO_SCHEMA": "Timeline.1",
            "tracks": {
                "children": [
                    {
                        "OTIO_SCHEMA": "Track.1",
                        "children": [
                            {
                                "OTIO_SCHEMA": "Clip.1",
                                "source_range": {"duration": {"value": 1, "rate": 0}},
                            }
                        ],
                    }
                ]
            },
        }
    ),
    "labels.txt": f"{LONG}\t1.0\ta\n",
    "grid.textgrid": 'File type = "ooTextFile"\nclass = "IntervalTier"\n'
    f'name = "a"\nxmin = {LONG}\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_by_name(name, tmp_path):
    path = tmp_path / name
    path.write_text(HOSTILE[name], encoding="utf-8")
    with pytest.raises(StoryscopeError, match=name) as refused:
        read_annotations(path, fps=25)
    assert len(str(refused.value)) < 1000


def test_keys_written_with_escapes_are_read(tmp_path):
    path = tmp_path / "escaped.json"
    path.write_text('{"\\u0065nd": 10, "\\u0073tarts": [0, 4]}')
    (found,) = read_annotations(path)
    assert (found.starts, found.end) == ((0, 4), 10)


def test_many_starts_are_read_at_once(tmp_path):
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"end": 200_001, "starts": list(range(200_000))}, indent=1))
    (found,) = read_annotations(path)
    assert len(found.starts) == 200_000
    assert found.lines[-1] > 200_000


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(40_000_000)
    with pytest.raises(StoryscopeError, match="40 MB"):
        read_annotations(path)
