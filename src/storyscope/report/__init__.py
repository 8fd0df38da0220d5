"""Reports on a film: a contact sheet, an HTML page, a timeline in the terminal.

`Findings` are made of core types only; the results are files and text.
"""

from storyscope.report.boundary_sheet import boundary_sheet
from storyscope.report.findings import Findings, Truth, overlap_ratio
from storyscope.report.hit_sheet import HitPictures, hit_sheet
from storyscope.report.html_page import html_report
from storyscope.report.palette import STORY_COLOURS, story_colour, text_colour
from storyscope.report.sheet import contact_sheet
from storyscope.report.terminal import draw_timeline

__all__ = [
    "STORY_COLOURS",
    "Findings",
    "HitPictures",
    "Truth",
    "boundary_sheet",
    "contact_sheet",
    "draw_timeline",
    "hit_sheet",
    "html_report",
    "overlap_ratio",
    "story_colour",
    "text_colour",
]
