"""A minimal Parquet reader for word lists: one column of strings, plain or Snappy-compressed.

The full readers are larger than Storyscope; a word list needs three page kinds and one codec.
Layout: https://parquet.apache.org/docs/file-format/ and
https://github.com/google/snappy/blob/main/format_description.txt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storyscope.errors import ModelError


def read_string_column(data: bytes) -> list[str]:
    """The strings of the first column of a Parquet file, in order; there must be no nulls."""
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ModelError("not a Parquet file: it neither begins nor ends with PAR1")
    try:
        footer = int.from_bytes(data[-8:-4], "little")
        schema = _Thrift(data, len(data) - 8 - footer).struct()
        leaf = schema[2][1]
        if leaf.get(1) != BYTE_ARRAY:
            raise ModelError("the first column of the word list does not hold strings")
        optional = leaf.get(3, 0) == 1
        strings = [
            text for group in schema[4] for text in _chunk_strings(data, group[1][0][3], optional)
        ]
    except (IndexError, KeyError, TypeError) as error:
        raise ModelError(f"the word list is damaged or of an unknown kind: {error!r}") from error
    return [text.decode("utf-8") for text in strings]


BYTE_ARRAY = 6
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY = 0, 2, 8
UNCOMPRESSED, SNAPPY = 0, 1


def _chunk_strings(data: bytes, chunk: dict[int, Any], optional: bool) -> Iterator[bytes]:
    codec, wanted = chunk[4], chunk[5]
    place = min(offset for offset in (chunk.get(11), chunk[9]) if offset is not None)
    dictionary: list[bytes] = []
    seen = 0
    while seen < wanted:
        thrift = _Thrift(data, place)
        header = thrift.struct()
        body = data[thrift.place : thrift.place + header[3]]
        place = thrift.place + header[3]
        if header[1] == DICTIONARY_PAGE:
            dictionary = _plain(_unpacked(body, codec), header[7][1])
        elif header[1] == DATA_PAGE:
            count, encoding = header[5][1], header[5][2]
            body = _unpacked(body, codec)
            if optional:
                levels = int.from_bytes(body[:4], "little")
                _refuse_nulls(body[4 : 4 + levels], count)
                body = body[4 + levels :]
            yield from _values(body, count, encoding, dictionary)
            seen += count
        else:
            raise ModelError(f"the word list has pages of kind {header[1]}, which are not read")


def _values(body: bytes, count: int, encoding: int, dictionary: list[bytes]) -> list[bytes]:
    if encoding == PLAIN:
        return _plain(body, count)
    if encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY):
        return [dictionary[number] for number in _hybrid(body[1:], body[0], count)]
    raise ModelError(f"the word list is encoded as {encoding}, which is not read")


def _plain(body: bytes, count: int) -> list[bytes]:
    strings = []
    place = 0
    for _ in range(count):
        length = int.from_bytes(body[place : place + 4], "little")
        strings.append(body[place + 4 : place + 4 + length])
        place += 4 + length
    return strings


def _refuse_nulls(levels: bytes, count: int) -> None:
    if any(level != 1 for level in _hybrid(levels, 1, count)):
        raise ModelError("the word list has empty rows")


def _hybrid(body: bytes, width: int, count: int) -> list[int]:
    """Runs of one repeated number, mixed with runs of numbers packed `width` bits each."""
    numbers: list[int] = []
    place = 0
    while len(numbers) < count:
        header, place = _varint(body, place)
        if header & 1:
            size = (header >> 1) * width
            packed = int.from_bytes(body[place : place + size], "little")
            mask = (1 << width) - 1
            numbers.extend(_bits(packed, width, mask, min(8 * (header >> 1), count - len(numbers))))
            place += size
        else:
            size = (width + 7) // 8
            value = int.from_bytes(body[place : place + size], "little")
            numbers.extend([value] * (header >> 1))
            place += size
    return numbers[:count]


def _bits(packed: int, width: int, mask: int, count: int) -> Iterator[int]:
    # Shifting one huge number repeatedly takes quadratic time: split it first.
    step = 64
    for start in range(0, count, step):
        piece = (packed >> (start * width)) & ((1 << (step * width)) - 1)
        for index in range(min(step, count - start)):
            yield (piece >> (index * width)) & mask


def _unpacked(body: bytes, codec: int) -> bytes:
    if codec == UNCOMPRESSED:
        return body
    if codec == SNAPPY:
        return unpack_snappy(body)
    raise ModelError(f"the word list is packed with codec {codec}; Snappy and none are read")


def unpack_snappy(packed: bytes) -> bytes:
    """Decompress Snappy: literals, and copies of earlier output."""
    length, place = _varint(packed, 0)
    out = bytearray()
    end = len(packed)
    while place < end:
        tag = packed[place]
        kind, size = tag & 3, tag >> 2
        place += 1
        if kind == 0:
            if size >= 60:
                extra = size - 59
                size = int.from_bytes(packed[place : place + extra], "little")
                place += extra
            out += packed[place : place + size + 1]
            place += size + 1
            continue
        if kind == 1:
            count, back = (size & 7) + 4, ((size >> 3) << 8) | packed[place]
            place += 1
        else:
            width = 2 if kind == 2 else 4
            count, back = size + 1, int.from_bytes(packed[place : place + width], "little")
            place += width
        start = len(out) - back
        if back == 0 or start < 0:
            raise ModelError("the word list is damaged: a copy points before its beginning")
        if back >= count:
            out += out[start : start + count]
        else:
            out += (out[start:] * (count // back + 1))[:count]
    if len(out) != length:
        raise ModelError(f"the word list is damaged: {len(out)} of {length} bytes came out")
    return bytes(out)


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place += 1
        if byte < 128:
            return value, place
        shift += 7


class _Thrift:
    """Reads Thrift's compact protocol into dicts by field number."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data = data
        self.place = place

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while header := self._byte():
            step, kind = header >> 4, header & 15
            number = number + step if step else self._zigzag()
            fields[number] = self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            self.place += 8
            return None
        if kind == 8:
            return self._bytes()
        if kind in (9, 10):
            return self._list()
        if kind == 12:
            return self.struct()
        raise ModelError(f"the word list is damaged: its directory holds a field of kind {kind}")

    def _list(self) -> list[Any]:
        header = self._byte()
        count, kind = header >> 4, header & 15
        if count == 15:
            count, self.place = _varint(self.data, self.place)
        return [self._value(kind) for _ in range(count)]

    def _bytes(self) -> bytes:
        length, self.place = _varint(self.data, self.place)
        self.place += length
        return self.data[self.place - length : self.place]

    def _zigzag(self) -> int:
        value, self.place = _varint(self.data, self.place)
        return (value >> 1) ^ -(value & 1)

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]
