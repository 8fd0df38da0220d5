"""Evaluation of segmentations: how good found stories are, and how far people agree.

>>> from storyscope import Segmentation >>> from storyscope.evaluate import mean_iou >>>
mean_iou(Segmentation((0, 5), 10), Segmentation((0, 5), 10)) 1.0
"""

from storyscope.evaluate.agreement import Agreement, agree, agree_as_in_paper
from storyscope.evaluate.boundaries import BoundaryScore, average_precision, boundary_score
from storyscope.evaluate.coverage import CoverageOverflow, coverage_overflow
from storyscope.evaluate.dataset import (
    AnnotatedVideo,
    Collection,
    UnannotatedVideo,
    load_collection,
)
from storyscope.evaluate.fingerprint import fingerprint, same_video
from storyscope.evaluate.iou import best_overlaps, mean_iou
from storyscope.evaluate.methods import StoryDetector, StoryMethod
from storyscope.evaluate.protocol import VideoScore, judge, leave_one_out
from storyscope.evaluate.trivial import equal_times, trivial_scores

__all__ = [
    "Agreement",
    "AnnotatedVideo",
    "BoundaryScore",
    "Collection",
    "CoverageOverflow",
    "StoryDetector",
    "StoryMethod",
    "UnannotatedVideo",
    "VideoScore",
    "agree",
    "agree_as_in_paper",
    "average_precision",
    "best_overlaps",
    "boundary_score",
    "coverage_overflow",
    "equal_times",
    "fingerprint",
    "judge",
    "leave_one_out",
    "load_collection",
    "mean_iou",
    "same_video",
    "trivial_scores",
]
