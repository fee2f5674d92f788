"""Never-store: credentials, payment instruments and government identifiers, wherever they stand in a text.

Formats and the words that must stand near them are data (`secrets.toml`). Card numbers, bank accounts and identifiers
count only with a right check digit, a bare number only beside a word that says what it is, and a value after
"password" or "token" only when it is not an ordinary word of the sentence: hashes, order numbers and talk about
passwords are not secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from tkg.gate.numbers import card, iban, identifier
from tkg.gate.rules import Match, Rule, candidates
from tkg.gate.scan import Form, scan, windows

#: what stands where a secret would be and is none
_PLACEHOLDER: Final = re.compile(
    r"(?i)[\W_]*|[x*#.•_-]{3,}\S*|[<\[{(]\S*|\$\{?\w*\}?\S*|%\w+%?|\{\{?.*|(?:your|my|the|our)[_-]?\w*|none|null|nil|true|"
    r"false|yes|no|n/a|tbd|todo|redacted|hidden|removed|masked|\[?redacted\]?|placeholder|example|secret|password|string|"
    r"str|int|os\.\w+\S*|process\.env\S*|env\.\S*|getenv\S*|vault[:.]\S*|secretref\S*|config\.\S*|self\.\S*|args\.\S*|"
    r"\w+\(.*"
)
#: dates, times, versions, counts with a unit, file names and addresses that follow such words without being secrets
_ORDINARY: Final = re.compile(
    r"(?i)\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[t ].*)?|\d{1,2}:\d{2}\S*|\d+(?:[.,]\d+)?%?|v?\d+(?:\.\d+){1,3}|"
    r"\d+[- ]?(?:chars?|characters?|days?|weeks?|months?|years?|digits?|letters?|times?|hours?|minutes?|bits?|bytes?|st|nd|"
    r"rd|th|kb|mb|gb|min|sec|s|h|d)(?:[-/]\S*)?|https?://\S*|[\w./-]+\.(?:md|txt|ya?ml|json|toml|py|js|ts|html?|pdf|env|cfg|ini|"
    r"conf|com|org|net|io)"
)
#: words that go on with a sentence about passwords; endings cover most of them
_SENTENCE: Final = frozenset(
    "a an the this that these those it its not no never always only also still now then too very as at by for from in of "
    "on or and but with without than to into per via if when where which who what how why optional mandatory case long "
    "short strong weak safe secure unsafe insecure wrong right correct incorrect invalid valid same different old new "
    "unique empty blank known unknown lost found kept sent set reset shown written held given taken sold hidden open free "
    "ready public private good bad easy hard simple complex due about above below between during until after before over "
    "under enough because manager managers policy policies rotation reset resets change changes length rule rules field "
    "fields box hint hints strength vault file files store storage form page prompt entry check checks protection auth "
    "authentication login sign hash hashes hashing salt sharing security generator count counts limit limits budget "
    "lifetime ring rate ratio price prices value values name names type types size sizes must should may can could will "
    "would has have had was were is are be been do does did ends expires begins starts contains needs requires lives "
    "works manual automatic sensitive yes please mary through here there down up out off away on around".split()
)
_ENDING: Final = re.compile(r"[a-z'-]+(?:ed|ing|able|ible|ly|ive|ous|ful|less|tion|ment|ity|ness|ory|ary|ant|ent|ical)")
_EMPTY: Final = re.compile(r"\W*")
_LETTER: Final = re.compile(r"[A-Za-z]")
_DIGIT: Final = re.compile(r"\d")
_MIXED: Final = re.compile(r"[a-z][A-Z]|[^\w\s.,;:'-]|\w[!@#$%^&*+=~]")


#: names with digits that stand where a password might
_TECHNICAL: Final = re.compile(
    r"(?i)(?:sha|md|aes|rsa|dsa|hs|rs|es|ps|base|o?auth|openid|saml|http|https|tls|ssl|utf|ipv|ed|argon|pbkdf|bcrypt|scrypt|"
    r"blake|crc|s|ec|k|mp|usb|wpa|wifi|python|node|java|php|go|int|uint|float|char|varchar|x|v|version|level|step|option|"
    r"page|line|row|port|floor|room|table|figure|section|chapter|ticket|issue|pr|rfc|iso|din|en|fips|pkcs|fido|ctap|ntlm|"
    r"kerberos|ldap|tier|phase|stage|class|group|team|host|server|node|web|db|app|api|gpt|ios|android|windows|win|"
    r"[a-z]{2,4}-[a-z]+)[-_./ ]?\d{1,5}(?:[-_./:x]\w{1,8}){0,3}"
)
#: names of hosts, tickets, files and addresses: parts of letters and digits between hyphens, dots, slashes
_PARTS: Final = re.compile(r"[A-Za-z0-9]+(?:[-_./:][A-Za-z0-9]*)+|[A-Za-z]+\d|[A-Z]{1,4}\d+")
_INSIDE: Final = re.compile(r"\w[!@#$%^&*+~]|[!@#$%^&*+~]\w")
_ADDRESS: Final = re.compile(r"@[\w-]+\.\w")
_LOWER: Final = re.compile(r"[a-z]")
_UPPER: Final = re.compile(r"[A-Z]")
_BETWEEN: Final = re.compile(r"[A-Za-z0-9][!#$^&*~][A-Za-z0-9]")
#: numbers of issues and lines, languages with a sign in their name, entities of HTML
_ISSUE: Final = re.compile(
    r"^[A-Za-z-]{2,20}#\d+$|#L?\d+$|\b[CF]#|&[a-z]{2,8}$|\b[A-Z]&[A-Z]\d*(?:[A-Z][a-z]+)?\b|AT&T"
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_DATED: Final = re.compile(r"(?i)\b(?:in|since|until|from|before|after|by|of|during)\s+(?:19|20)\d\d\W*$")


def _made(value: str) -> bool:
    """Whether a value looks made up by a person for a lock: mixed, or with a sign inside, and no technical name."""
    bare = value.strip(".,;:!?)(\"'")
    if len(bare) < 5 or _ADDRESS.search(bare) or _PLACEHOLDER.fullmatch(bare) or _ORDINARY.fullmatch(bare):
        return False
    if _TECHNICAL.fullmatch(bare):
        return False
    mixed = _DIGIT.search(bare) is not None and _LETTER.search(bare) is not None
    return mixed or (_LETTER.search(bare) is not None and _INSIDE.search(bare) is not None and "/" not in bare)


def _coined(value: str) -> bool:
    """Whether a word has all that rules for passwords ask for: both cases, a digit, and a sign between its letters."""
    bare = value.strip(".,;:!?)(\"'*_~#&$^-")
    if len(bare) < 8 or _ISSUE.search(bare) or _TECHNICAL.fullmatch(bare):
        return False
    return all(kind.search(bare) for kind in (_LOWER, _UPPER, _DIGIT, _BETWEEN))


def _named(value: str) -> bool:
    """Whether what follows "is" is a name or a made word and not the sentence going on."""
    lower = value.strip(".,;:!?)(\"'").casefold()
    return not (
        lower in _SENTENCE or _ENDING.fullmatch(lower) or _PLACEHOLDER.fullmatch(lower) or _ORDINARY.fullmatch(lower)
    )


def _token(value: str) -> bool:
    """Whether a value looks made by a machine: letters and digits mixed, or long and of mixed case."""
    bare = value.strip(".,;:!?)(\"'")
    if len(bare) < 8 or _PLACEHOLDER.fullmatch(bare) or _ORDINARY.fullmatch(bare):
        return False
    letters, digits = _LETTER.search(bare) is not None, _DIGIT.search(bare) is not None
    if letters and digits:
        # v2-style words such as "oauth2-proxy" or "customer_id_2" have few digits for their length
        return len(_DIGIT.findall(bare)) >= 2 or (len(bare) >= 16 and _MIXED.search(bare) is not None)
    if digits:
        return len(bare) >= 16
    return len(bare) >= 20 and len(set(bare)) >= 10 and re.search(r"[a-z][A-Z].*[a-z][A-Z]", bare) is not None


def _word(match: Match) -> bool:
    """Whether what follows "password" is a password and not the sentence going on."""
    raw = match.group("v") or ""
    separator = (match.group("sep") or "").strip().casefold()
    value = raw.rstrip(".,;:!?)")
    if len(value) < 3 or _PLACEHOLDER.fullmatch(value):
        return False
    lower = value.casefold()
    symbol = separator in {"=", "=>", ":=", "->", "→"}
    if symbol and " " not in (match.group("sep") or "") and len(value) >= 4 and not _ORDINARY.fullmatch(value):
        return lower not in _SENTENCE
    if _ORDINARY.fullmatch(value):
        return bool(value.isdigit() and len(value) >= 4 and separator)
    if (match.group("q") or "") and separator:
        return lower not in _SENTENCE
    if len(value) < 4:
        return False
    made_up = _DIGIT.search(value) is not None or _MIXED.search(value) is not None
    if not separator:
        # "password swordfish99": nothing between, so only what no sentence would hold
        return made_up and _DIGIT.search(value) is not None and _LETTER.search(value) is not None
    if made_up:
        return True
    if lower in _SENTENCE or _ENDING.fullmatch(lower) or separator == "to":
        return False
    # a plain word: a password only where the sentence ends with it
    return raw != value or _EMPTY.fullmatch(match.group("after") or "") is not None


def _values(match: Match, rule: Rule) -> Iterator[str]:
    for name in rule.options.get("groups", ("v",)):
        value = match.group(name)
        if value:
            yield value


def _strong(value: str) -> bool:
    return _made(value) and not _PARTS.fullmatch(value.strip(".,;:!?"))


def _several(value: str) -> bool:
    return _SENTENCE.isdisjoint(value.casefold().split())


def _quoted(value: str) -> bool:
    return value.strip().casefold() not in _SENTENCE


def _mixed(value: str) -> bool:
    return bool(_DIGIT.search(value) and _LETTER.search(value) and not _ORDINARY.fullmatch(value))


#: what a rule's `look` asks of a value
_LOOKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "made": _made,
    "strong": _strong,
    "words": _several,
    "quoted": _quoted,
    "code": lambda value: _YEAR.fullmatch(value) is None,
    "token": _token,
    "coined": _coined,
    "named": _named,
    "key": lambda value: _token(value) and _made(value),
    "mixed": _mixed,
    "any": lambda value: _PLACEHOLDER.fullmatch(value) is None,
}


def _accepts(rule: Rule, match: Match) -> bool:
    look = rule.options.get("look")
    if look is None:
        return True
    if look == "digit":
        return _DIGIT.search(match.group() or "") is not None and _DATED.search(match.group()) is None
    if look == "word":
        return _word(match)
    return any(_LOOKS[look](value) for value in _values(match, rule))


def fires(rule: Rule, text: str) -> bool:
    """Return whether one rule of `secrets.toml` finds a secret in `text`."""
    return any(_accepts(rule, match) for match in rule.pattern.finditer(text))


def _in_form(reading: Form) -> str | None:
    for rule in candidates("secrets.toml", reading.folded):
        if fires(rule, reading.plain):
            return rule.id
    if _DIGIT.search(reading.plain) is None:
        return None
    return card(reading.plain) or iban(reading.plain) or identifier(reading)


def find_secret(texts: Iterable[str]) -> str | None:
    """Return the kind of the first secret in `texts`, such as "jwt", or None. Never returns any of the text."""
    for text in texts:
        for window in windows(text):
            for reading in scan(window).forms:
                found = _in_form(reading)
                if found is not None:
                    return found
    return None
