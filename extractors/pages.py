"""Web pages, PDF and Word files as text with headings, so that the same rules read them as Markdown.

What a reader of the page does not see is not read: scripts, styles, comments, and elements marked hidden. The libraries
are the extra `tkg[documents]`; without them such a file is one problem that says so.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from tkg.extractors.turns import Problem
from tkg.model.document import Document
from tkg.model.time import Instant

if TYPE_CHECKING:
    from bs4.element import Tag

_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "head", "svg", "iframe", "object", "nav"})
_BLOCKS: Final = frozenset(
    "p div section article main header footer aside ul ol table thead tbody tr blockquote pre br hr dl dt dd figure "
    "figcaption form fieldset address details summary".split()
)
#: most pages of a PDF, and largest unpacked size of a Word file in bytes
_PAGES: Final = 2_000
_UNPACKED: Final = 64 * 1024 * 1024
_MISSING: Final = "reading it needs a library that is not installed; run: pip install 'tkg[documents]'"


def read_page(raw: bytes, kind: str, uri: str, observed_at: Instant) -> Iterator[Document | Problem]:
    """Yield the documents of one file: a PDF's pages one by one, else the whole.

    Args:
        raw: the file's bytes.
        kind: "html", "pdf" or "docx".
        uri: its address.
        observed_at: reference date.
    """
    reader: Callable[[bytes], Iterator[tuple[str | None, str]]] = {"html": _html, "pdf": _pdf, "docx": _docx}[kind]
    found = False
    try:
        for locator, text in reader(raw):
            if text.strip() and "\x00" not in text:
                found = True
                clean = text.encode("utf-8", "replace").decode("utf-8")
                yield Document(text=clean, uri=uri, media="markdown", observed_at=observed_at, turn=locator)
    except ImportError:
        yield Problem(uri, None, _MISSING)
        return
    except _Refused as refusal:
        yield Problem(uri, None, str(refusal))
        return
    except Exception as error:  # noqa: BLE001 - parsers of foreign formats raise anything on damaged files
        yield Problem(uri, None, f"the file is damaged or no {kind.upper()} file ({type(error).__name__})")
        return
    if not found:
        hint = "; a scanned page has to go through character recognition first" if kind == "pdf" else ""
        yield Problem(uri, None, f"there is no text in it{hint}")


class _Refused(Exception):
    """A file that is not read, with the sentence that says why."""


# --- HTML -------------------------------------------------------------------------------------------------------------


def _html(raw: bytes) -> Iterator[tuple[str | None, str]]:
    from bs4 import BeautifulSoup

    if b"\x00" in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _Refused("the file is binary (it holds NUL bytes)")
    soup = BeautifulSoup(raw, "html.parser")
    out: list[str] = []
    _walk(soup, out)
    lines = (" ".join(line.split()) for line in "".join(out).split("\n"))
    text, blank = [], True
    for line in lines:
        if line or not blank:
            text.append(line)
        blank = not line
    yield None, "\n".join(text).strip()


def _hidden(tag: Tag) -> bool:
    style = str(tag.get("style") or "").replace(" ", "").lower()
    return (
        tag.has_attr("hidden")
        or str(tag.get("aria-hidden")).lower() == "true"
        or any(word in style for word in ("display:none", "visibility:hidden", "font-size:0", "opacity:0"))
    )


def _walk(top: Tag, out: list[str]) -> None:
    """Write the visible text, blocks on lines of their own, headings and list items marked as in Markdown."""
    from bs4.element import NavigableString, PreformattedString, Tag

    # an explicit stack: hostile pages nest deeper than Python recurses
    todo: list[Any] = [top]
    while todo:
        node = todo.pop()
        if isinstance(node, str) and not isinstance(node, NavigableString):
            out.append(node)
        elif isinstance(node, PreformattedString):
            continue  # comments, declarations
        elif isinstance(node, NavigableString):
            out.append(str(node).replace("\n", " "))
        elif isinstance(node, Tag):
            if node.name in _UNSEEN or _hidden(node):
                continue
            before, after = _marks(node.name)
            todo.append(after)
            todo.extend(reversed(list(node.children)))
            todo.append(before)


def _marks(name: str) -> tuple[str, str]:
    if len(name) == 2 and name[0] == "h" and name[1].isdigit():
        return f"\n\n{'#' * int(name[1])} ", "\n\n"
    if name == "li":
        return "\n- ", "\n"
    if name in ("td", "th"):
        return " ", " | "
    if name in ("p", "blockquote"):
        return "\n\n", "\n\n"
    return ("\n", "\n") if name in _BLOCKS else ("", "")


# --- PDF --------------------------------------------------------------------------------------------------------------


def _pdf(raw: bytes) -> Iterator[tuple[str | None, str]]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # damage is told once, by us
    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise _Refused("the file is protected by a password; save it without one")
    if len(reader.pages) > _PAGES:
        raise _Refused(f"the file has {len(reader.pages)} pages, the limit is {_PAGES}; split it")
    for number, page in enumerate(reader.pages, 1):
        yield f"page={number}", page.extract_text() or ""


# --- Word -------------------------------------------------------------------------------------------------------------


def _docx(raw: bytes) -> Iterator[tuple[str | None, str]]:
    from docx import Document as WordFile
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        raise _Refused("the file is protected by a password or in the old Word format; save it as .docx without one")
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        size = sum(entry.file_size for entry in packed.infolist())
    if size > _UNPACKED:
        raise _Refused(f"the file unpacks to {size} bytes, the limit is {_UNPACKED}; split it")
    blocks: list[str] = []
    for block in WordFile(io.BytesIO(raw)).iter_inner_content():
        if isinstance(block, Paragraph):
            style = (block.style.name or "") if block.style is not None else ""
            level = style.removeprefix("Heading ")
            mark = f"{'#' * int(level)} " if level.isdigit() else "- " if style.startswith("List") else ""
            if block.text.strip():
                blocks.append(mark + block.text.strip())
        elif isinstance(block, Table):
            rows = [" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows]
            blocks.extend(row for row in rows if row.strip(" |"))
    yield None, "\n\n".join(blocks)
