"""Passages of a video that has only a transcript."""

import numpy as np

from storyscope.core import Passages


def passages(*texts):
    return Passages(
        texts=texts,
        spans=np.array([[float(n), n + 1.0] for n in range(len(texts))]).reshape(-1, 2),
        text_vectors=np.zeros((len(texts), 4), np.float16),
        seconds=np.zeros(0),
        shots=np.zeros(0, np.int32),
        classes=np.zeros((0, 10), np.uint16),
        shares=np.zeros((0, 10), np.float16),
        screen_texts=("EXIT",),
        screen_seconds=(9.0,),
    )
