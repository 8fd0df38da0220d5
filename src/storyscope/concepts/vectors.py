"""Word vectors, which measure the similarity of terms."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO

import numpy as np

from storyscope.concepts.parquet import read_string_column
from storyscope.errors import ModelError
from storyscope.models import SHIPPED, cache_folder, find_model, keep_in_cache


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector for every known word."""

    rows: Mapping[str, int]
    """Word -> row of the matrix."""
    matrix: np.ndarray
    """Words x dimensions; may be mapped from disk, so read rows, never the whole."""
    name: str = ""

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    def row_of(self, word: str) -> int | None:
        """Row of a word as written, otherwise in lower case."""
        row = self.rows.get(word)
        return self.rows.get(word.lower()) if row is None else row

    def of(self, texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors, one row per text, and which texts are known; unknown ones are zero.

        A text of several words gets the mean of its words' vectors, scaled to length one.
        """
        texts = list(texts)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for index, text in enumerate(texts):
            found = [row for word in split_words(text) if (row := self.row_of(word)) is not None]
            if found:
                vectors[index] = np.asarray(self.matrix[found], dtype=np.float32).mean(axis=0)
        lengths = np.linalg.norm(vectors, axis=1)
        known = lengths > 0
        vectors[known] /= lengths[known, None]
        return vectors, known


def split_words(text: str) -> list[str]:
    """The words of a term or class name: "man-of-war, jellyfish" has four."""
    return re.findall(r"[^\W_]+(?:['’.][^\W_]+)*", text)


def load_vectors(name: str | Path = "glove-6b-50d") -> WordVectors:
    """The word vectors called `name`: a file or folder, or those in a package."""
    if str(name) not in SHIPPED and Path(name).expanduser().exists():
        return read_vectors(Path(name).expanduser())
    folder = find_model(str(name)).folder
    vectors = _packaged(folder / "data" if (folder / "data").is_dir() else folder)
    return replace(vectors, name=str(name))


@lru_cache(maxsize=1)
def _packaged(folder: Path) -> WordVectors:
    """The vectors in an installed package, which does not change while a process runs."""
    return read_vectors(folder)


def read_vectors(path: str | Path) -> WordVectors:
    """Read word vectors: GloVe or word2vec text, word2vec binary (both may be gzipped), or a
    folder with a matrix (.npy) and its words (.parquet or .txt, one per line).

    Python pickles, which gensim writes, are programs and are not opened; export such vectors
    with `save_word2vec_format`.
    """
    path = Path(path)
    try:
        if path.is_dir():
            return _read_folder(path)
        with _opened(path) as file:
            return _read_binary(file, path) if _is_binary(path) else _read_text(file, path)
    except (OSError, ValueError, EOFError) as error:
        raise ModelError(f"{path} contains no word vectors that can be read: {error}") from error


def _read_folder(folder: Path) -> WordVectors:
    matrices = sorted(folder.glob("*.npy"))
    lists = sorted([*folder.glob("*.parquet"), *folder.glob("*.txt")])
    if not matrices or not lists:
        raise ModelError(f"{folder} must contain a matrix (.npy) and its words (.parquet or .txt)")
    matrix = np.load(matrices[0], mmap_mode="r", allow_pickle=False)
    if lists[0].suffix == ".parquet":
        words = _parquet_words(lists[0], count=len(matrix))
    else:
        words = lists[0].read_text(encoding="utf-8").splitlines()
    if matrix.ndim != 2 or len(words) != len(matrix):
        raise ModelError(f"{folder}: {len(words)} words for a matrix of shape {matrix.shape}")
    return WordVectors(_numbered(words), matrix, folder.name)


def _parquet_words(path: Path, *, count: int) -> list[str]:
    """The words of a Parquet file, cached as text: decompressing them takes seconds."""
    data = path.read_bytes()
    kept = cache_folder() / f"words-{hashlib.sha256(data).hexdigest()}.txt"
    with suppress(OSError, UnicodeDecodeError):
        words = kept.read_text(encoding="utf-8").split("\n")
        if len(words) == count:
            return words
    words = read_string_column(data)
    keep_in_cache(kept.name, "\n".join(words).encode())
    return words


def _numbered(words: Sequence[str]) -> dict[str, int]:
    """Word -> row; of a word listed twice the first counts, as it is the more common one."""
    rows = dict(zip(words, range(len(words)), strict=True))
    if len(rows) < len(words):
        for row, word in reversed([*enumerate(words)]):
            rows[word] = row
    return rows


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _is_binary(path: Path) -> bool:
    """Text vectors are readable in their first kilobytes; binary ones are not."""
    with _opened(path) as file:
        sample = file.read(4096)
    if sample.startswith(b"\x80") and path.suffix != ".gz":
        raise ModelError(
            f"{path} is a Python pickle, which can execute code; export the vectors with "
            "`save_word2vec_format` and use that file"
        )
    return sum(byte < 9 for byte in sample) > 0.01 * len(sample)


def _read_text(file: IO[bytes], path: Path) -> WordVectors:
    words: list[str] = []
    vectors: list[np.ndarray] = []
    dimensions = 0
    for number, line in enumerate(file):
        pieces = line.decode("utf-8", errors="replace").rstrip().split(" ")
        if number == 0 and len(pieces) == 2:
            dimensions = int(pieces[1])
            continue
        dimensions = dimensions or len(pieces) - 1
        # Some words of the big GloVe files contain spaces: the numbers are the last columns.
        words.append(" ".join(pieces[:-dimensions]))
        vectors.append(np.array(pieces[-dimensions:], dtype=np.float32))
    if not words or dimensions < 2:
        raise ModelError(f"{path} contains no lines of a word and its numbers")
    return WordVectors(_numbered(words), np.stack(vectors), path.name)


def _read_binary(file: IO[bytes], path: Path) -> WordVectors:
    count, dimensions = (int(number) for number in file.readline().split())
    if not (0 < dimensions <= 10_000 and 0 < count <= 20_000_000):
        raise ModelError(f"{path} claims {count} words of {dimensions} numbers")
    matrix = np.empty((count, dimensions), dtype=np.float32)
    words = []
    for row in range(count):
        word = bytearray()
        while (byte := file.read(1)) != b" ":
            if not byte:
                raise ModelError(f"{path} ends after {row} of {count} words")
            word += byte
        words.append(word.lstrip(b"\n").decode("utf-8", errors="replace"))
        matrix[row] = np.frombuffer(file.read(4 * dimensions), dtype="<f4")
    return WordVectors(_numbered(words), matrix, path.name)
