"""Small English word lists, so that titles work without a tagger: "bears wait" names bears."""

from __future__ import annotations

from functools import cache


@cache
def common_verbs() -> frozenset[str]:
    """Every form of the most common verbs in speech."""
    forms = set(IRREGULAR.split())
    for verb in VERBS.split():
        forms |= {verb, *_inflected(verb)}
    return frozenset(forms)


def _inflected(verb: str) -> set[str]:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return {f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"}
    if verb.endswith("e"):
        return {f"{verb}s", f"{verb}d", f"{verb[:-1]}ing", f"{verb}ing"}
    ending = "es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"
    forms = {verb + ending, f"{verb}ed", f"{verb}ing"}
    if verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou":
        forms |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
    return forms


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEFORE_NOUN = _words("""
the a an of this these those his her its their our my your no every each some many few two three
four five several all both another
""")
"""Words that are followed by a noun."""

BEFORE_VERB = _words("""
to i you he she it we they who can could will would should must may might not don't doesn't didn't
can't never always
""")
"""Words that are followed by a verb."""

VAGUE = _words("""
able afraid alive alone aloud amazing angry asleep available aware bad beautiful big black blue
bright busy certain cheap clever cold common correct crazy dangerous dark dead dear deep different
difficult early east eastern easy empty enormous excellent expensive extraordinary false famous far
farther fast fine free fresh funny further gentle giant glad gray great green grey happy hard heavy
high hot hungry ideal important impossible incredible interesting late light likely lonely loud low
lucky necessary nice normal north northern obvious open past perfect poor possible proud quick
quiet rare ready real red remarkable rich sad safe serious sharp short sick silly similar simple
single slow soft sorry south southern special strange strong stupid sudden sweet tall terrible
thick thin tiny tired total true twice unable usual vast weak weird west western wide wild wise
wonderful wrong yellow young
""")
"""Adjectives and adverbs that cannot end a phrase."""

FAINT = _words("""
absolute actual amazing beautiful big enormous extraordinary far final fine good great huge
incredible large little long main new nice old real short simple single small special tiny
true usual vast various very whole wonderful young
""")
"""Adjectives that add nothing to a noun."""

PALE_WORDS = _words("""
thing way lot kind sort bit time day year moment people person man woman guy boy girl world life
part place side end start beginning number name word point question answer reason idea problem case
fact example matter course something everything nothing anything hour minute second week month
night morning one other rest couple pair group series sign line top bottom front middle area hand
head eye face sir madam mister miss mr mrs lady gentleman kid ready god thanks hello mile metre
meter foot inch kilometre kilometer degree two three four five six seven eight nine ten eleven
twelve dozen hundred thousand million
""")
"""Nouns that say nothing about what a story is about."""

VERBS = """
accept ache achieve act add admit adore advise affect afford agree aim allow amaze amuse announce
annoy answer apologise apologize appear apply appreciate approach argue arrange arrive assume
attach attack attempt attend attract avoid awake bake bathe beat become beg begin behave believe
belong bend bet bind bite blame bleed bless bloom blow boil borrow bother bounce bow break breathe
breed bring brush build bump burn burst bury buy calculate call calm care carry catch cause
celebrate change chase cheat check cheer chew choose circle claim clap clean clear climb cling
close collapse collect come compare compete complain complete concern confirm confuse connect
consider consist consume contain continue control cook cope cost count cover crash crawl create
creep cross crush cry cut damage dance dare deal decay decide defend delay deliver demand deny
depend describe deserve destroy detect develop die differ dig disagree disappear discover discuss
dislike dive divide do double doubt drag draw dream dress drift drink drive drop drown dry earn eat
emerge encourage end endure enjoy ensure enter escape evolve examine exceed excite excuse exist
expand expect explain explode explore express extend face fail fall fear feed feel fetch fight fill
find finish fit fix flap flee float flow fly fold follow force forget forgive form freeze frighten
gather gaze get give glide glow go grab graze greet grind grip grow guess guide handle hang happen
hate haunt have heal hear heat help hide hit hold hop hope hover howl hug hunt hurry hurt imagine
improve include increase inform injure insist intend introduce invade invent invite involve join
judge jump keep kick kill kiss kneel knit knock know lack land last laugh launch lay lead lean leap
learn leave lend let lick lie lift like listen live load look lose love lurk make manage marry
match matter mean measure meet melt mention migrate mind miss mix move multiply need nest nod note
notice obey observe obtain occur offer open orbit order overcome owe own paddle patrol pause pay
perform permit pick plan plant play please point poke possess pour practise pray prefer prepare
press pretend prevent produce promise prosper protect prove provide pull push put race raise reach
react read realise realize receive recognise recognize reduce refuse regret reject relax release
rely remain remember remind remove repair repeat replace reply rescue rest retire return reveal
ride ring rise roam roar roll rotate row rub ruin run rush save say scare scatter scream search see
seek seem sell send separate serve settle shake share shelter shine shiver shock shout show shrink
shut sing sink sit sleep slide slip smell smile snatch sneeze sniff snore soar solve spare spawn
speak spend spill spin spiral split spoil spot spread spring squeeze stalk stand stare start starve
stay steal step stick stop strengthen stretch strike strive struggle succeed suck suffer suggest
suit supply support suppose surround survive suspect swallow sweep swim swing swirl take talk taste
teach tear tell tend thank think threaten thrive throw tie touch trap travel treat tremble trust
try turn understand unite use vanish visit wait wake walk wander want warm warn wash watch wave
wear weep weigh welcome whisper win wish wonder work worry wrap write yawn yell
"""

IRREGULAR = """
ate awoke beaten became began begun bent bit bitten bled blew blown bought bound bred broke broken
brought built burnt came caught chose chosen clung crept dealt did died does done drank drawn
dreamt drew driven drove drunk dug eaten fallen fed fell felt fled flew flown forgave forgot
forgotten fought found froze frozen gave given gone got grew grown had has heard held hid hidden
hung kept knew known laid lain lay leapt learnt led left lent lost made meant met overcame paid ran
rang ridden risen rode rose said sang sank sat saw seen sent shaken shone shook shrank shrunk slept
slid sold sought spat spent spoke spoken sprang spun stole stolen stood struck stuck sung sunk swam
swept swum swung taken taught thought threw thrown told took tore torn understood went wept woke
woken won wore worn wound written wrote lies dies ties
"""
