"""Decode bytes of unknown encoding."""

from __future__ import annotations

import codecs
import re

from storyscope.core.language import likeliest_by_words


def decode(data: bytes) -> str:
    """The text in `data`: by its byte-order mark, as UTF-8 or 16, by its declaration, or by
    detection.

    For detection, the text is decoded in every legacy code page, and the result that looks most
    like a language is used.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    for guess in (_utf16_without_mark(data), "utf-8", _declared(data)):
        text = _strictly(data, guess) if guess else None
        if text is not None:
            return text
    return _likeliest(data)


# The mark of UTF-32 begins with that of UTF-16, so it is tested first.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

COMMON_LETTERS = {
    "cp1252": "éèàêâçùûôîïëœæøåäöüßñíóúáãõìòýð",
    "cp1250": "ąćęłńóśźżáčďéěíňřšťůúýžőűäöüăâîşţđľĺôß",
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґјљњђћџ",
    "koi8_r": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "cp1253": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ",
    "cp1254": "ığşçöüâîû",
    "cp1255": "אבגדהוזחטיכלמנסעפצקרשתםןךףץ",
    "cp1256": "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةأإؤئ",
    "cp874": "กขคงจชซดตถทนบปผพฟมยรลวสหอะาิีึืุูเแโใไ่้์ั็ำ",
    "shift_jis": "のにはをたがでてとしれさいるなもこからあまっすりくんだスルトンアイラー人日一大年",
    "euc_jp": "のにはをたがでてとしれさいるなもこからあまっすりくんだスルトンアイラー人日一大年",
    "euc_kr": "이다는에가을를의은고하지도서기사어나로한인그아해자리것니라시게들수대있요안내우만정",
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得",
    "big5": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得",
}
"""The most frequent letters of a text in each legacy code page."""

WRITES_IN_WORD_SIGNS = ("shift_jis", "euc_jp", "euc_kr", "gb18030", "big5")


def _utf16_without_mark(data: bytes) -> str | None:
    """Text of few scripts has a zero in every other byte if it is UTF-16."""
    sample = data[:4000]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most = len(sample) // 4
    if odd > most and odd > 4 * even:
        return "utf-16-le"
    if even > most and even > 4 * odd:
        return "utf-16-be"
    return None


def _declared(data: bytes) -> str | None:
    match = re.match(rb"""\s*<\?xml[^>]*encoding=["']([\w.-]+)""", data)
    if not match:
        return None
    try:
        return codecs.lookup(match[1].decode("ascii")).name
    except LookupError:
        return None


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _likeliest(data: bytes) -> str:
    readings = {
        page: text for page in COMMON_LETTERS if (text := _strictly(data, page)) is not None
    }
    if not readings:
        return data.decode("cp1252", errors="replace")
    return readings[max(readings, key=lambda page: _readability(readings[page], page))]


def _readability(text: str, page: str) -> float:
    """How many of the letters are common in the code page, and how many of the words in a
    language."""
    sample = text[:8000]
    foreign = [character for character in sample if ord(character) > 127]
    common = sum(1 for character in foreign if character in COMMON_LETTERS[page])
    share = common / max(1, len(foreign))
    if page in WRITES_IN_WORD_SIGNS:
        # Forty of thousands of characters make up about a third of such a text.
        return min(1.0, 3 * share)
    return share + likeliest_by_words(sample)[1]
