"""Texts that would act on a terminal, a page or a picture if they were shown raw, and the probes that find them."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser
from itertools import islice

_TERMINAL = (
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://evil.invalid\x07link\x1b]8;;\x07", "\x1b[2J\x1b[H",
    "bell\x07 back\x08\x08 del\x7f", "c1 \x9b31m \x90 \x85", "over\rwritten", "bidi \u202e\u2066 ltr \u2069\u202c",
    "hidden \u200b\u200d\ufeff\u00ad", "tags \U000e0041\U000e0042", "lines \u2028\u2029", "\x1bPq\x1b\\", "\x1b_G\x1b\\",
    "[bold red]markup[/] [link=http://evil.invalid]x[/link]", ":smile: [/] [", "two\nlines\tand a tab",
)  # fmt: skip
_MARKUP = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "</title><script>x</script>",
    "</style><script>x</script>", "\"><script>x</script>", "' onmouseover='alert(1)", "\" autofocus onfocus=alert(1) x=\"",
    "<a href=\"javascript:alert(1)\">x</a>", "<iframe src=http://evil.invalid></iframe>", "<link rel=stylesheet href=//evil>",
    "<meta http-equiv=refresh content=0;url=//evil.invalid>", "<base href=//evil.invalid>", "<object data=//evil.invalid>",
    "<style>@import url(//evil.invalid);</style>", "background:url(//evil.invalid)", "<!-- --><script>x</script>",
    "]]><script>x</script>", "&lt;script&gt;x", "<form action=//evil.invalid>", "<embed src=//evil.invalid>",
    "<math><mtext></mtext><script>x</script></math>", "<foreignObject><body onload=alert(1)>", "<use href=//evil.invalid#x>",
    "$\\frac{a}{b}$ $\\unknown{", "%s %(x)s {0} {x!r}", "\" ]; evil [label=\"x", "\\\" -> \\\"y", "\\N \\G \\n",
)  # fmt: skip


def strings(count: int = 300) -> list[str]:
    """Return that many different hostile texts: each kind alone, then each pair of a terminal's and a page's."""

    def every() -> list[str]:
        pairs = [f"{one} {other}" for other in _MARKUP for one in _TERMINAL]
        return [*_TERMINAL, *_MARKUP, *pairs]

    found = list(islice(dict.fromkeys(every()), count))
    assert len(found) == count
    return found


#: hidden or direction-changing format characters
_HIDDEN = re.compile(
    "[\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def raw(text: str) -> list[str]:
    """Return the characters of `text` that a terminal would act on or hide."""
    return [
        c for c in text if c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or _HIDDEN.match(c))
    ]


#: elements that run, fetch, send or redirect
_ACTIVE = frozenset(
    "script iframe frame object embed link base form input button audio video source track applet portal foreignobject "
    "animate set image img".split()
)
_FETCHING = frozenset({"src", "srcset", "data", "action", "formaction", "background", "poster", "ping", "manifest"})


class Page(HTMLParser):
    """What a page would run or fetch, and the text it shows."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        if tag.lower() in _ACTIVE:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            local, given = name.lower().rpartition(":")[2], (value or "").strip()
            if local.startswith("on") or local in _FETCHING:
                self.faults.append(f"<{tag} {name}>")
            if local == "href" and not given.startswith("#"):
                self.faults.append(f"<{tag} {name}={given[:40]}>")
            if local == "http-equiv" and given.lower() != "content-security-policy":
                self.faults.append(f"<meta {given[:40]}>")
            if local == "style" or local in ("clip-path", "fill", "filter", "mask"):
                self._css(given)

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            continue

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._inside and self._inside[-1] == "style":
            self._css(data)

    def handle_comment(self, data: str) -> None:
        self.faults += ["conditional comment"] if data.lstrip().lower().startswith("[if") else []

    def _css(self, text: str) -> None:
        fetched = [
            one for one in re.findall(r"url\(\s*['\"]?([^)'\"]*)", text, re.IGNORECASE) if not one.startswith("#")
        ]
        if fetched or "@import" in text.lower() or "expression(" in text.lower():
            self.faults.append(f"style {text[:60]}")

    @property
    def text(self) -> str:
        """Everything the page shows."""
        return "".join(self.words)
