"""Random damage to bytes and texts, accidental or malicious; reproducible from the seed."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]
EXTREMES = (
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\x00\x00\x00\x01",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
)
"""Extreme values of integer fields."""
ODD_NUMBERS = (
    b"-1",
    b"0",
    b"1e100000000",
    b"9" * 5000,
    b"NaN",
    b"inf",
    b"0.0000000000000000001",
    b"99:99:99,999",
    b"1/0",
    b"\xc2\xa01",
    b"0x10",
    b"\xd9\xa1\xd9\xa2",
)
ODD_WORDS = (
    b"\x00",
    b"\xed\xa0\x80",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\r",
    b"\x1b]0;x\x07",
    b"<" + b"a" * 20_000,
    b"&lt;!ENTITY x SYSTEM 'file:///etc/passwd'&gt;",
    b"<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;&b;&b;'>]>",
    b"[" * 20_000,
    b'{"a":' * 5_000,
    b"=cmd|' /C calc'!A0",
    b"null",
    b'"' * 1_000,
    b" " * 30_000,
    b"-->" * 1_000,
    b"\\u0000\\ud800",
)


def flip_bits(data: bytes, dice: Random) -> bytes:
    """Flip a few bits, or many."""
    changed = bytearray(data)
    for _ in range(dice.choice((1, 2, 8, 64, 512))):
        place = dice.randrange(len(changed))
        changed[place] ^= 1 << dice.randrange(8)
    return bytes(changed)


def flip_head(data: bytes, dice: Random) -> bytes:
    """Change bytes in the first kilobyte, where most containers have their header."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 24)):
        changed[dice.randrange(min(1024, len(changed)))] = dice.randrange(256)
    return bytes(changed)


def cut_short(data: bytes, dice: Random) -> bytes:
    """Cut off the end."""
    return data[: dice.randrange(len(data))]


def cut_beginning(data: bytes, dice: Random) -> bytes:
    """Cut off the beginning."""
    return data[dice.randrange(len(data)) :]


def fill_block(data: bytes, dice: Random) -> bytes:
    """Fill a block with zeros, ones or noise."""
    first, length = dice.randrange(len(data)), dice.choice((16, 512, 4096, 65_536))
    fill = dice.choice((b"\x00", b"\xff", b""))
    block = fill * length if fill else dice.randbytes(length)
    return data[:first] + block[: len(data) - first] + data[first + length :]


def remove_block(data: bytes, dice: Random) -> bytes:
    """Remove a block from the middle."""
    first = dice.randrange(len(data))
    return data[:first] + data[first + dice.choice((1, 7, 188, 4096)) :]


def repeat_block(data: bytes, dice: Random) -> bytes:
    """Repeat a block many times."""
    first = dice.randrange(len(data))
    block = data[first : first + dice.choice((4, 64, 1024))]
    return data[:first] + block * dice.choice((2, 30, 200)) + data[first:]


def swap_blocks(data: bytes, dice: Random) -> bytes:
    """Swap the two halves."""
    middle = dice.randrange(len(data))
    return data[middle:] + data[:middle]


def set_extreme(data: bytes, dice: Random) -> bytes:
    """Overwrite some integers with extreme values."""
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(data))
        number = dice.choice(EXTREMES)
        data = data[:place] + number + data[place + len(number) :]
    return data


BYTES: tuple[Mutation, ...] = (
    flip_bits,
    flip_head,
    cut_short,
    cut_beginning,
    fill_block,
    remove_block,
    repeat_block,
    swap_blocks,
    set_extreme,
)


def odd_number(data: bytes, dice: Random) -> bytes:
    """Replace some numbers with NaN, huge or invalid ones."""
    odd = dice.choice(ODD_NUMBERS)
    places = [match.span() for match in re.finditer(rb"\d+", data)] or [(0, 0)]
    for first, end in sorted(dice.sample(places, min(len(places), dice.randint(1, 5))))[::-1]:
        data = data[:first] + odd + data[end:]
    return data


def odd_word(data: bytes, dice: Random) -> bytes:
    """Insert unexpected text at a random position."""
    place = dice.randrange(len(data) + 1)
    return data[:place] + dice.choice(ODD_WORDS) + data[place:]


def repeat_line(data: bytes, dice: Random) -> bytes:
    """Repeat a line thousands of times."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    place = dice.randrange(len(lines))
    lines[place : place + 1] = [lines[place]] * dice.choice((2, 100, 20_000))
    return b"".join(lines)


def shuffle_lines(data: bytes, dice: Random) -> bytes:
    """Shuffle the lines."""
    lines = data.splitlines(keepends=True)
    dice.shuffle(lines)
    return b"".join(lines)


def remove_line(data: bytes, dice: Random) -> bytes:
    """Remove a line."""
    lines = data.splitlines(keepends=True) or [b""]
    del lines[dice.randrange(len(lines))]
    return b"".join(lines)


def other_encoding(data: bytes, dice: Random) -> bytes:
    """Encode the text in another encoding."""
    text = data.decode("utf-8", "replace")
    return text.encode(dice.choice(("utf-16", "utf-32", "utf-16-be", "cp1252")), "replace")


def one_line(data: bytes, dice: Random) -> bytes:
    """Join all lines into one."""
    return re.sub(rb"[\r\n]+", dice.choice((b" ", b"", b"\t")), data)


TEXTS: tuple[Mutation, ...] = (
    odd_number,
    odd_word,
    repeat_line,
    shuffle_lines,
    remove_line,
    other_encoding,
    one_line,
    flip_bits,
    cut_short,
    fill_block,
    repeat_block,
)


def mutated(data: bytes, dice: Random, mutations: tuple[Mutation, ...]) -> bytes:
    """The data after one to three mutations."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        data = dice.choice(mutations)(data or b"0", dice)
    return data
