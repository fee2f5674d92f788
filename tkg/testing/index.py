"""What every text index must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing

from tkg.errors import Damaged
from tkg.ids import digest
from tkg.index.port import Index
from tkg.model.artefact import Artefact, ArtefactKind
from tkg.model.claim import Claim
from tkg.model.entry import Entry, Record
from tkg.model.scope import Channel
from tkg.model.time import FOREVER, Interval
from tkg.model.verdict import StatusChange
from tkg.testing.expect import raises

_ALWAYS = Interval(from_lo=0, from_hi=0, to_lo=FOREVER, to_hi=FOREVER, kind="until_changed")
KINDS = ("claim", "episode", "summary", "skill", "action", "answer")


def entry(seq: int, *records: Record, branch: str = "") -> Entry:
    """Return an entry as a ledger would; `branch` tells histories apart."""
    return Entry(
        seq=seq,
        tx_time=seq,
        op="test",
        scope="acme",
        records=records,
        prev=digest(f"{branch}{seq - 1}") if seq > 1 else "",
        hash=digest(f"{branch}{seq}"),
    )


def turn(
    identifier: str, content: str, session: str | None, scope: str = "acme", speaker: str = "ana", day: int = 0
) -> Artefact:
    """Return an episode of a session, `day` days after 1 January 1970."""
    return Artefact(
        id=identifier,
        scope=scope,
        kind="episode",
        label=Channel.HUMAN_STATED,
        observed_at=day * 86_400_000_000,
        session_id=session,
        content=content,
        meta={"speaker": speaker},
    )


def claim(identifier: str, subject: str | None, predicate: str | None, value: str | None, scope: str = "acme") -> Claim:
    """Return a claim with these words."""
    return Claim(
        id=identifier,
        scope=scope,
        slot_id="slt_x",
        subject_id="ent_x",
        object_id="ent_y",
        interval=_ALWAYS,
        subject=subject,
        predicate=predicate,
        object=value,
        object_norm=value,
    )


def artefact(
    identifier: str, content: str | None, kind: ArtefactKind = "episode", scope: str = "acme", name: str | None = None
) -> Artefact:
    """Return an artefact with this text."""
    return Artefact(
        id=identifier,
        scope=scope,
        kind=kind,
        label=Channel.HUMAN_STATED,
        observed_at=0,
        content=content,
        meta=None if name is None else {"name": name},
    )


def status(target: str, axis: str, value: str) -> StatusChange:
    """Return a change of state."""
    return StatusChange.build(id=f"sta_{target}_{axis}_{value}", target=target, axis=axis, value=value)


def found(
    index: Index,
    query: str,
    *,
    scopes: Sequence[str] = ("acme",),
    kinds: Sequence[str] = KINDS,
    limit: int = 50,
    as_of: int | None = None,
) -> list[str]:
    """Return the ids of the hits, best first."""
    return [hit.id for hit in index.search(query, scopes=scopes, kinds=kinds, limit=limit, as_of=as_of)]


class IndexContract(ABC):
    """Subclass it in a test module as `Test…` and say how to make an index."""

    @abstractmethod
    def make(self, entries: Sequence[Entry] = ()) -> Index:
        """Return a new index with these entries applied."""

    def of(self, *records: Record | Sequence[Record]) -> Index:
        """Return an index of one entry per argument."""
        each = [one if isinstance(one, Sequence) else [one] for one in records]
        return self.make([entry(seq, *one) for seq, one in enumerate(each, 1)])

    def test_an_empty_index_finds_nothing(self) -> None:
        with closing(self.make()) as index:
            assert index.applied == 0 and found(index, "anything") == []

    def test_subject_predicate_and_object_are_found(self) -> None:
        with closing(self.of(claim("clm_1", "exception report", "reviewAfter_date", "case-management queue"))) as index:
            for query in (
                "exceptions",
                "REPORT",
                "review",
                "after",
                "date",
                "management",
                "queues",
                "where is the queue",
            ):
                assert found(index, query) == ["clm_1"], query
            assert found(index, "mailbox") == []

    def test_content_and_name_of_an_artefact_are_found(self) -> None:
        with closing(self.of(artefact("art_1", "Send it on Monday.", "skill", name="close-the-books"))) as index:
            assert found(index, "monday") == found(index, "books") == ["art_1"]

    def test_digits_accents_and_small_words_are_found(self) -> None:
        with closing(
            self.of(
                claim("clm_1", "Zoë Müller", "extension", "4711"),
                claim("clm_2", "deploy", "allowed", "not before 2026-03-01"),
                claim("clm_3", "東京 office", "note", "the"),
            )
        ) as index:
            assert found(index, "4711") == ["clm_1"]
            assert found(index, "zoe muller") == found(index, "ZOË") == ["clm_1"]
            assert found(index, "not") == found(index, "before") == found(index, "03") == ["clm_2"]
            assert found(index, "東京") == ["clm_3"]
            assert found(index, "the") == ["clm_3"]
            assert found(index, "the deploy") == ["clm_2"]

    def test_query_syntax_is_data(self) -> None:
        with closing(self.of(claim("clm_1", "alpha", "near", "beta"), claim("clm_2", "gamma", "p", "delta"))) as index:
            for query in (
                'alpha" OR "',
                "alpha*",
                "subject:alpha",
                "NEAR(alpha beta)",
                "(alpha",
                "-alpha",
                "^alpha",
                "alpha; --",
            ):
                assert found(index, query) == ["clm_1"], query
            assert found(index, "alph*") == [] and found(index, "alpha NOT alpha") == ["clm_1"]
            for query in ("", " ", "***", '"', "\x00", "()", "\ud800"):
                assert found(index, query) == []
            assert found(index, "alpha\x00gamma") == ["clm_1", "clm_2"]
            assert found(index, "word " * 5_000 + " ".join(f"w{n}" for n in range(3_000))) == []

    def test_scopes_are_compared_whole(self) -> None:
        paths = ("acme", "acme/ana", "acme/ana-b", "acme-corp")
        claims = [claim(f"clm_{n}", "same", "words", "here", path) for n, path in enumerate(paths)]
        with closing(self.of(claims)) as index:
            for n, path in enumerate(paths):
                assert found(index, "words", scopes=[path]) == [f"clm_{n}"]
            assert found(index, "words", scopes=["acme/ana", "acme"]) == ["clm_0", "clm_1"]
            assert found(index, "words", scopes=["acme", "acme"]) == ["clm_0"]
            for scopes in ([], ["acme/an"], ["acme/"], ["acme%"], ["ACME"], ["acme/ana' OR '1'='1"]):
                assert found(index, "words", scopes=scopes) == []

    def test_other_scopes_do_not_show_in_scores(self) -> None:
        mine = [claim("clm_1", "rare word", "p", "x"), claim("clm_2", "common word", "p", "y")]
        others = [claim(f"clm_o{n}", "rare", "rare", "rare", "acme/ben") for n in range(20)]
        with closing(self.of(mine)) as alone, closing(self.of(mine, others)) as crowded:
            hits = [index.search("rare word", scopes=["acme"], kinds=KINDS, limit=9) for index in (alone, crowded)]
            assert hits[0] == hits[1] != []

    def test_kinds_are_kept_apart(self) -> None:
        with closing(
            self.of([claim("clm_1", "word", "p", "o"), artefact("art_1", "word"), artefact("art_2", "word", "skill")])
        ) as index:
            assert found(index, "word", kinds=["claim"]) == ["clm_1"]
            assert sorted(found(index, "word", kinds=["skill", "episode"])) == ["art_1", "art_2"]
            assert found(index, "word", kinds=[]) == []

    def test_only_what_stands_is_found_and_everything_as_of_a_time(self) -> None:
        for axis, down, up in (
            ("status", "quarantined", "active"),
            ("status", "held", "active"),
            ("support", "unsupported", "supported"),
            ("support", "suspended", "supported"),
            ("action", "cancelled", "queued"),
        ):
            with closing(self.of(artefact("art_1", "word", "action"))) as index:
                index.apply([entry(2, status("art_1", axis, down))])
                assert found(index, "word") == [] and found(index, "word", as_of=2) == ["art_1"]
                index.apply([entry(3, status("art_1", axis, up))])
                assert found(index, "word") == ["art_1"]

    def test_axes_are_independent(self) -> None:
        with closing(self.of(claim("clm_1", "word", "p", "o"))) as index:
            index.apply([entry(2, status("clm_1", "status", "revoked"), status("clm_1", "support", "unsupported"))])
            index.apply([entry(3, status("clm_1", "support", "supported"))])
            assert found(index, "word") == []
            index.apply([entry(4, status("clm_1", "status", "active"))])
            assert found(index, "word") == ["clm_1"]
            index.apply([entry(5, status("clm_1", "verified", "gone"), status("clm_1", "freeze", "frozen"))])
            assert found(index, "word") == ["clm_1"]

    def test_a_candidate_written_as_held_does_not_stand(self) -> None:
        with closing(self.of([status("clm_1", "status", "held"), claim("clm_1", "word", "p", "o")])) as index:
            assert found(index, "word") == []

    def test_as_of_ends_with_its_transaction(self) -> None:
        with closing(self.of(claim("clm_1", "word", "p", "o"), claim("clm_2", "word", "p", "o"))) as index:
            assert [found(index, "word", as_of=seq) for seq in (0, 1, 2, 9)] == [
                [],
                ["clm_1"],
                ["clm_1", "clm_2"],
                ["clm_1", "clm_2"],
            ]

    def test_what_is_erased_or_removed_is_gone_at_every_time(self) -> None:
        with closing(
            self.of(
                [claim("clm_1", "violet", "p", "o"), claim("clm_2", "violet", "p", "o"), artefact("art_1", "violet")]
            )
        ) as index:
            index.apply([entry(2, status("clm_1", "status", "erased"))])
            assert sorted(found(index, "violet", as_of=9)) == ["art_1", "clm_2"]
            assert index.remove(["clm_2", "art_1", "clm_unknown", "clm_2"]) == 2
            assert found(index, "violet", as_of=9) == [] and index.applied == 2
            index.apply([entry(3, claim("clm_3", "violet", "p", "o"), status("clm_1", "status", "active"))])
            assert found(index, "violet") == ["clm_3"]

    def test_after_a_removal_scores_are_as_if_it_had_never_been_there(self) -> None:
        kept = [claim("clm_1", "violet", "p", "o"), claim("clm_2", "violet report", "p", "much longer than the other")]
        gone = [claim(f"clm_g{n}", "violet report", "p", "words " * n) for n in range(9)]
        with closing(self.of(kept)) as never, closing(self.of(kept, gone)) as after:
            after.remove(one.id for one in gone)
            hits = [index.search("violet report", scopes=["acme"], kinds=KINDS, limit=9) for index in (never, after)]
            assert hits[0] == hits[1] != []

    def test_erased_content_is_no_document(self) -> None:
        with closing(self.of([claim("clm_1", None, None, None), artefact("art_1", None)])) as index:
            assert found(index, "none") == [] and index.applied == 1

    def test_rarer_words_more_words_and_shorter_texts_rank_higher(self) -> None:
        common = [claim(f"clm_c{n}", "common", "p", f"thing{n}") for n in range(20)]
        special = [
            claim("clm_both", "common", "rare", "x"),
            claim("clm_rare", "other", "rare", "x"),
            claim("clm_long", "other words that make this text much longer", "rare", "x"),
        ]
        with closing(self.of(common, special)) as index:
            assert found(index, "common rare")[:3] == ["clm_both", "clm_rare", "clm_long"]
            assert found(index, "common rare", limit=2) == ["clm_both", "clm_rare"]
            assert found(index, "common", limit=0) == []
            scores = [hit.score for hit in index.search("common rare", scopes=["acme"], kinds=KINDS, limit=99)]
            assert scores == sorted(scores, reverse=True) and scores[-1] > 0

    def test_an_episode_is_found_by_who_spoke_and_when(self) -> None:
        with closing(self.of(turn("art_1", "Hello.", "ses_1", speaker="Zoë", day=7), artefact("art_2", "x"))) as index:
            assert found(index, "zoe") == found(index, "8") == ["art_1"]
            assert found(index, "8 january 1970")[0] == "art_1"

    def test_what_a_query_names_is_looked_up(self) -> None:
        with closing(
            self.of(
                claim("clm_1", "exception reports", "reviewAfter_date", "June"),
                claim("clm_2", "exception reports", "destination", "Larch mailbox"),
                claim("clm_3", "Larch mailbox", "owner", "exception reports"),
                claim("clm_4", "exception", "owner", "Bo"),
            )
        ) as index:
            hits = index.named("what is the review after date of the exception report?", scopes=["acme"], limit=9)
            assert [(hit.id, hit.exact) for hit in hits] == [
                ("clm_1", True),
                ("clm_3", False),
                ("clm_2", False),
                ("clm_4", False),
            ]
            assert {hit.slot for hit in hits} == {"slt_x"}
            assert [hit.id for hit in index.named("larch mailboxes", scopes=["acme"], limit=9)] == ["clm_3", "clm_2"]
            assert [hit.id for hit in index.named("larch mailboxes", scopes=["acme"], limit=1)] == ["clm_3"]
            for query in ("", "larch", "reports", "the", "owner", "date"):
                assert index.named(query, scopes=["acme"], limit=9) == [], query

    def test_names_are_looked_up_in_visible_scopes_among_what_stands(self) -> None:
        history = [
            entry(1, claim("clm_1", "Larch", "owner", "Bo"), claim("clm_2", "Larch", "owner", "Cy", "acme/ben")),
            entry(2, claim("clm_3", "Larch", "owner", "Di"), status("clm_1", "status", "revoked")),
        ]
        with closing(self.make(history)) as index:

            def named(*scopes: str, as_of: int | None = None) -> list[str]:
                return [hit.id for hit in index.named("larch owner", scopes=scopes, limit=9, as_of=as_of)]

            assert named("acme") == ["clm_3"] and named("acme/ben") == ["clm_2"] and named("other") == []
            assert named("acme", "acme/ben") == ["clm_3", "clm_2"]
            assert named("acme", as_of=2) == ["clm_3", "clm_1"] and named("acme", as_of=1) == ["clm_1"]
            index.remove(["clm_3"])
            assert named("acme") == []

    def test_neighbours_in_a_session_are_those_before_and_after(self) -> None:
        with closing(
            self.of(
                turn("art_1", "one", "ses_1"),
                turn("art_x", "other", "ses_2"),
                turn("art_2", "two", "ses_1"),
                turn("art_b", "hidden", "ses_1", "acme/ben"),
                turn("art_3", "three", "ses_1"),
                turn("art_n", "none", None),
                [turn("art_4", "four", "ses_1"), status("art_4", "status", "held")],
            )
        ) as index:
            ids = ["art_1", "art_2", "art_3", "art_b", "art_n", "art_x", "clm_unknown"]
            assert index.beside(ids, scopes=["acme"]) == {
                "art_1": (None, "art_2"),
                "art_2": ("art_1", "art_3"),
                "art_3": ("art_2", None),
                "art_x": (None, None),
            }
            assert index.beside(["art_3"], scopes=["acme", "acme/ben"]) == {"art_3": ("art_b", None)}
            assert index.beside(["art_2", "art_3"], scopes=["acme"], as_of=5) == {
                "art_2": ("art_1", "art_3"),
                "art_3": ("art_2", None),
            }
            assert index.beside(["art_3"], scopes=["acme"], as_of=7) == {"art_3": ("art_2", "art_4")}

    def test_equal_scores_go_by_id(self) -> None:
        with closing(self.of([claim(f"clm_{n}", "word", "p", "o") for n in (3, 1, 2)])) as index:
            assert found(index, "word") == ["clm_1", "clm_2", "clm_3"]
            assert found(index, "word", limit=2) == ["clm_1", "clm_2"]

    def test_entries_already_applied_are_skipped_and_a_gap_is_refused(self) -> None:
        entries = [entry(n, claim(f"clm_{n}", "word", "p", "o")) for n in range(1, 6)]
        with closing(self.make(entries[:2])) as index:
            index.apply(entries[:3])
            assert index.applied == 3 and found(index, "word") == ["clm_1", "clm_2", "clm_3"]
            with raises(Damaged, saying="was given 5"):
                index.apply(entries[4:])
            assert index.applied == 3
            index.apply(entries)
            assert index.applied == 5 and len(found(index, "word")) == 5

    def test_one_by_one_or_all_at_once_is_the_same(self) -> None:
        entries = [entry(n, claim(f"clm_{n}", f"word{n % 3} word", "p", "o")) for n in range(1, 30)]
        entries.append(entry(30, status("clm_3", "status", "erased"), status("clm_4", "support", "unsupported")))
        with closing(self.make(entries)) as whole, closing(self.make()) as stepwise:
            for one in entries:
                stepwise.apply([one])
            for query in ("word", "word1", "word0 word2"):
                hits = [index.search(query, scopes=["acme"], kinds=KINDS, limit=99) for index in (whole, stepwise)]
                assert hits[0] == hits[1] != []

    def test_closing_twice_is_closing(self) -> None:
        index = self.make()
        index.close()
        index.close()
