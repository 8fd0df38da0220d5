"""Language identification, and the stop words of languages."""

from __future__ import annotations

import re
from functools import cache

UNKNOWN = "und"


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language of a text, "und" if it is unknown.

    Scripts of a single language (Greek, Hangul, Thai...) are recognised by their letters; other
    languages by the share of their most common short words.
    """
    code, _ = best_language(text)
    return code


def best_language(text: str) -> tuple[str, float]:
    """The most likely language and its share: of the letters for a script, otherwise of the
    words."""
    letters = [character for character in text[:SAMPLE] if character.isalpha()]
    if not letters:
        return UNKNOWN, 0.0
    for code, pattern in SCRIPTS.items():
        share = sum(1 for letter in letters if pattern.match(letter)) / len(letters)
        if share > (0.1 if code == "ja" else 0.4):
            return code, share
    code, share = likeliest_by_words(text)
    return (code, share) if share >= LEAST_SHARE else (UNKNOWN, share)


def likeliest_by_words(text: str) -> tuple[str, float]:
    """The language most of whose short words are in the text, and their share of its words."""
    words = WORD.findall(text[:SAMPLE].lower())
    shares = {
        code: sum(_weight(word, code) for word in words) / max(1, len(words))
        for code in SMALL_WORDS
    }
    code = max(shares, key=lambda code: shares[code])
    return code, shares[code]


@cache
def stop_words(language: str) -> frozenset[str]:
    """Lower-case words of the language that never belong in a title; none if the language is
    unknown."""
    words = set(SMALL_WORDS.get(language, "").split())
    if language == "en":
        words |= set(ENGLISH_STOP_WORDS.split())
    return frozenset(words)


def language_code(tag: str) -> str | None:
    """ISO 639-1 code of a tag such as "en", "eng", "pt-BR" or "English"."""
    first = tag.casefold().replace("_", "-").split("-")[0]
    if first in SMALL_WORDS or first in SCRIPTS:
        return first
    return LANGUAGE_CODES.get(first)


def language_tags(code: str) -> list[str]:
    """Tags for the language of an ISO 639-1 code, in lower case: "de", "ger", "deu", "german"..."""
    return [code, *(tag for tag, known in LANGUAGE_CODES.items() if known == code)]


SAMPLE = 20_000
LEAST_SHARE = 0.08
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

# Japanese mixes kana with Han characters, so it is tested before Chinese.
SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0530-\u058f]"),
}

SMALL_WORDS = {
    "en": "the and of to in is it you that was for on are with they this have from be at by not "
    "but we there what all their which he she my your would about",
    "de": "der die und ist das nicht ich sie ein zu es mit den auf eine von sich auch wir dem für "
    "wie aber hat nur noch war wird oder wenn bei kann",
    "fr": "le la les et est des une que qui dans pas pour ce sur au avec nous vous je il elle ont "
    "du en mais c'est plus sont cette tout être",
    "es": "el la los las y es que de en una por con para no se lo su como más pero está este esta "
    "muy del al yo qué cuando porque hay",
    "it": "il di che è la e non un una per in sono mi ho con ma si lo gli le della nel come anche "
    "questo perché più hanno quando del alla",
    "pt": "o que de não a e um uma é os as para com em do da no na se eu ele você mais mas isso "
    "está são muito como por quando",
    "nl": "de het een en is van dat ik je niet in op te zijn met voor maar er ze ook hij wat aan "
    "naar deze wordt heeft bij hun om",
    "sv": "och det är att en som på jag inte för med har den av till vi de om ett han var så kan "
    "från när hon ska eller mycket",
    "da": "og det er at en jeg ikke på til med har den af vi de for som et han var kan fra når hun "
    "skal eller meget hvad også mig dig",
    "no": "og det er at en jeg ikke på til med har den av vi de for som et han var kan fra når hun "
    "skal eller mye hva også meg deg",
    "fi": "ja on ei se että hän oli en ole mitä minä sinä mutta kun niin ovat tämä myös jos hänen "
    "olen sen vain nyt mukaan kuin",
    "pl": "i w nie na się to z jest że do co jak ale o tak za po tym już mnie przez jego są być "
    "dla tylko może od",
    "cs": "a v je se na to že ne si jsem s by co jak ale za už do tak jsou pro jako jeho nebo když "
    "který aby ještě od",
    "sk": "a v je sa na to že nie si som s by čo ako ale za už do tak sú pre jeho alebo keď ktorý "
    "aby ešte od",
    "hu": "a az és nem hogy egy van is ez meg volt de csak már vagy mint még azt kell ki el ezt én "
    "most mi ha itt lesz",
    "ro": "și în de la nu este o un că pe cu să mai se din care pentru ce au sunt dar am fi asta "
    "ca foarte era",
    "tr": "bir ve bu da de ne için çok ama ben var gibi daha sen o mi kadar değil olan ile her "
    "şey olarak sonra",
    "hr": "je i u da se na ne to su za sam što s od kako ali bi si kao o biti samo ovo nije nego "
    "koji ako ću",
    "ru": "и в не на я что он с как это но по его к из у за то так же все она бы был от мы вы если",
    "uk": "і в не на що я з це як він та до у за але його ми вона є від ти так ще про був вже або",
    "bg": "и на да не се в е от за са с че това но по ще как аз си ли беше той така има към или",
    "sr": "и у да је се на не то су за сам што с од како али би си као о само ово није него који",
    "el": "και το να η ο του της με για από που είναι στο θα την στην τα δεν τον σε μου τι ένα",
    "he": "של את על לא זה הוא אני היא כל עם כי גם או אם אבל יש מה אין הם היה כמו רק",
    "ar": "في من على أن إلى هذا لا ما هو مع التي عن كان هذه الذي لم كل هل أنا أو قد ذلك",
    "fa": "و در به از که این را با است آن برای یک هم تا من ما بود اما شما می",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada aku kamu juga ke karena ada "
    "mereka sudah saya bisa kita",
    "vi": "và là của có không một được cho người trong này tôi đã với các những khi như đó anh "
    "rất cũng làm",
}

LANGUAGE_CODES = {
    "eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it",
    "por": "pt", "dut": "nl", "nld": "nl", "swe": "sv", "dan": "da", "nor": "no", "nob": "no",
    "nb": "no", "fin": "fi", "pol": "pl", "cze": "cs", "ces": "cs", "slo": "sk", "slk": "sk",
    "hun": "hu", "rum": "ro", "ron": "ro", "tur": "tr", "hrv": "hr", "rus": "ru", "ukr": "uk",
    "bul": "bg", "srp": "sr", "ara": "ar", "per": "fa", "fas": "fa", "ind": "id", "vie": "vi",
    "jpn": "ja", "kor": "ko", "chi": "zh", "zho": "zh", "gre": "el", "ell": "el", "heb": "he",
    "tha": "th", "hin": "hi", "english": "en", "german": "de", "deutsch": "de", "french": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "dutch": "nl",
}  # fmt: skip

ENGLISH_STOP_WORDS = """
a about above across actually after afterwards again against ago ah ahead ain't all almost along
already alright also although always am among an and another any anybody anyhow anymore anyone
anything anyway anywhere are aren't around as aside ask asked asking at away back be became because
become becomes been before behind being below beside besides best better between beyond both but by
bye call called came can can't cannot certainly come comes coming could couldn't couple course did
didn't do does doesn't doing don't done down due during each either else end enough especially etc
even ever every everybody everyone everything everywhere exactly except far feel felt few finally
find first five for forward found four from full further gave get gets getting give given gives go
goes going gone gonna good got gotta great guess had hadn't half happen happened happens hardly has
hasn't have haven't having he he'd he'll he's hello hence her here here's hers herself hey hi him
himself his how however huge huh hundred i i'd i'll i'm i've if in indeed inside instead into is
isn't it it'd it'll it's its itself just keep keeps kept kind kinda knew know known knows large last
later least left less let let's like likely little long look looked looking looks lot lots made
mainly make makes making many may maybe me mean means meanwhile might mm mmm more moreover most
mostly much must my myself near nearly need needs neither never nevertheless new next no nobody none
nor not nothing now nowhere of off often oh ok okay old on once one ones only onto or other others
otherwise ought our ours ourselves out outside over own part perhaps place please pretty probably
put quite rather really right round said same saw say saying says second see seem seemed seems seen
several shall she she'd she'll she's should shouldn't show shows simply since six small so some
somebody somehow someone something sometimes somewhere soon sort still stop stuff such suddenly sure
take taken takes taking tell ten than thank thanks that that'd that'll that's the their theirs them
themselves then there there's therefore these they they'd they'll they're they've thing things think
third this those though thought thousand three through throughout thus till time times to today
together told tomorrow tonight too took toward towards tried try trying turn turned turns two uh um
under unless unlike until up upon us use used uses using usually various very via wait wanna want
wanted wants was wasn't way ways we we'd we'll we're we've well went were weren't what what's
whatever when whenever where where's whether which while who who'd who'll who's whole whom whose why
will with within without won't would wouldn't yeah year years yep yes yesterday yet you you'd you'll
you're you've your yours yourself yourselves
"""


@cache
def _small_words(language: str) -> frozenset[str]:
    return frozenset(SMALL_WORDS[language].split())


@cache
def _weight(word: str, language: str) -> float:
    """1 for a short word of this language only, less if related languages share it."""
    if word not in _small_words(language):
        return 0.0
    sharers = sum(1 for code in SMALL_WORDS if word in _small_words(code))
    return float(sharers**-0.5)
