"""Sentences with what they say, written by hand before the rules were run on them.

Each line: the sentence, then after `=>` the claims it makes, separated by `;`: subject | predicate | object, a leading
`-` for a denial, `@from..to` for its validity. Alternatives are separated by `/`. No claims after `=>`: the sentence
must not make any; the word after `!` is the modality its candidates may have. They were written on 18 November 2026 by Idris to Uma.
"""

from __future__ import annotations

from dataclasses import dataclass

SEEN = """
Deploys need two approvals since March. => deploys | needs | two approvals @2026-03..
Exception reports are sent to the regional settlement mailbox. => exception reports | destination | regional settlement mailbox
Exception reports go to the case-management queue. => exception reports | destination | case-management queue
The cutoff is 18:00 UTC. => cutoff | value | 18:00 UTC
We usually cut off around six. => ! hedged
The payments team owns the settlement service. => payments team | owns | settlement service
I moved from Berlin to Lisbon on 11 April 2026. => Idris | lives_in | Lisbon @2026-04-11.. ; - Idris | lives_in | Berlin @2026-04-11..
Ana works at Northwind. => Ana | works_at | Northwind
The deploy pipeline uses ap-southeast-2. => deploy pipeline | uses | ap-southeast-2
Retention is 30 days. => retention | value | 30 days
Halvard no longer works at Northwind. => - Halvard | works_at | Northwind
The balance of Account 7 is 40. => Account 7 | balance | 40
Pump 6 is connected to the brine tank. => pump 6 | connected_to | brine tank
Ana Ruiz, who leads the platform team, lives in Porto. => Ana Ruiz | leads | platform team ; Ana Ruiz | lives_in | Porto
Ana and Bea work at Northwind. => Ana | works_at | Northwind ; Bea | works_at | Northwind
Ana used to work at Northwind. => - Ana | works_at | Northwind
Ana stopped using Vim in May. => - Ana | uses | Vim @2026-05..
Ana started working at Contoso in June 2025. => Ana | works_at | Contoso @2025-06..
My manager is Bea. => Idris | manager | Bea
The service is owned by the payments team. => payments team | owns | service
There are three replicas in the cluster. => cluster | has | three replicas
Backups are stored in eu-west-1 and encrypted with AES. => backups | stored_in | eu-west-1 ; backups | encrypted_with | AES
Retention was 90 days until 31 March 2026; it is now 365 days. => retention | value | 90 days @..2026-03-31 ; retention | value | 365 days
The meeting is on Tuesday. => meeting | is_on | Tuesday
No employees use the old portal. => - employees | uses | old portal
Bob does not drink coffee. => - Bob | drinks | coffee
We store backups in S3. => backups | stored_in | S3
Ana's sister is a nurse. => Ana's sister | is_a | nurse
Ana is the director of Northwind. => Northwind | director | Ana
We switched from Jenkins to GitLab in March 2024. => we | uses | GitLab @2024-03.. ; - we | uses | Jenkins @2024-03..
Please restart the server. => ! instruction
You must rotate keys every 90 days. => ! instruction
Ana said the cutoff is 17:00. => ! reported
Does the Alnwick depot use Okta? => ! question
If the Alnwick depot used Okta, the night shift would need tokens. => ! hypothetical
Maybe we should move the Alnwick depot to Okta next year. => ! instruction
The limit will be 50 from 1 May 2027. => ! planned
"""

UNSEEN = """
The billing job runs on node-17. => billing job | runs_on | node-17
Invoices above 500 EUR require a second signature. => invoices above 500 EUR | requires | second signature
Northwind's headquarters are in Rotterdam. => Northwind's headquarters | located_in | Rotterdam / Northwind | headquarters | Rotterdam
The on-call lead for October was Priya. => on-call lead for October | was | Priya / October | was_on_call_lead | Priya
Refunds are approved by the finance lead. => refunds | approved_by | finance lead
Customer data is kept for seven years. => customer data | kept_for | seven years
The staging database is hosted on db-stage-2. => staging database | hosted_on | db-stage-2
Our API gateway rejects payloads over 2 MB. => API gateway | rejects | payloads over 2 MB
Mateo joined the data team on 3 June 2026. => Mateo | joined | data team @2026-06-03..2026-06-03
Clara is Mateo's mentor. => Mateo | mentor | Clara
I'm allergic to peanuts. => Idris | allergic_to | peanuts
My favourite colour is green. => Idris | favourite_colour | green
I live in Porto with two cats. => Idris | lives_in | Porto ; Idris | lives_with | two cats
I don't eat meat. => - Idris | eats | meat
The old VPN was retired on 1 July 2026. => old VPN | is | retired @2026-07-01..2026-07-01
The Lisbon office has 40 desks. => Lisbon office | has | 40 desks
Tickets are no longer assigned to the triage desk. => - tickets | assigned_to | triage desk
The refund window is 14 days from 1 January 2026. => refund window | value | 14 days @2026-01-01..
Helios Ltd supplies the batteries. => Helios Ltd | supplies | batteries
The warehouse in Faro closed in 2024. => warehouse in Faro | closed | 2024 / warehouse in Faro | closed_in | 2024
Kofi speaks Twi and French. => Kofi | speaks | Twi ; Kofi | speaks | French
The support hours are 9:00 to 17:00. => support hours | value | 9:00 to 17:00
The test suite takes 12 minutes. => test suite | takes | 12 minutes
Renata manages the Porto warehouse and reports to Kofi. => Renata | manages | Porto warehouse ; Renata | reports_to | Kofi
The feature flag new_checkout is enabled in production. => feature flag new_checkout | enabled_in | production
Between March and June 2026 Kofi was the release manager. => Kofi | is | release manager @2026-03..2026-06
Since last week the nightly export goes to bucket-9. => nightly export | destination | bucket-9 @2026-11-09..
The lorry belongs to Halden Freight. => lorry | belongs_to | Halden Freight
Priya is a member of the safety board. => Priya | member_of | safety board
The main gate opens at 6:30. => main gate | opens_at | 6:30
Our password policy requires 14 characters. => password policy | requires | 14 characters
Version 3.2 does not support Windows 7. => - version 3.2 | supports | Windows 7
The contract with Helios ends on 31 December 2026. => contract with Helios | ends_on | 31 December 2026
Until June 2026 the limit was 20 seats. => limit | value | 20 seats @..2026-06
Nobody uses the fax machine. => ! asserted
The label printer's address is 10.0.4.7. => label printer | address | 10.0.4.7
Uma's desk is in room 4. => Uma's desk | located_in | room 4 / Uma | desk | room 4
btw my partner's name is Tane => Idris's partner | name | Tane
fyi the wiki moved to docs.example.org => wiki | moved_to | docs.example.org
we deploy on thursdays => we | deploys_on | thursdays
The queue is drained by two workers. => queue | drained_by | two workers
Teo prefers the night shift. => Teo | prefers | night shift
The project is called Heron. => project | name | Heron
Alerts are routed to the duty phone. => alerts | destination | duty phone
The key was rotated yesterday. => key | is | rotated @2026-11-17..2026-11-17
Releases have been frozen since 10 November 2026. => releases | is | frozen @2026-11-10..
The cache holds at most 512 entries. => cache | holds | at most 512 entries
Bea has worked at Contoso since 2021. => Bea | works_at | Contoso @2021..
The archive server does not accept connections from the guest network. => - archive server | accepts | connections from the guest network
Orders from Spain ship from the Vigo depot. => orders from Spain | ships_from | Vigo depot
Lunch is served in the canteen. => lunch | served_in | canteen
Should we switch to quarterly billing? => ! question
I wonder whether the cutoff is 17:00. => ! hedged
It seems that Kofi owns the parser. => ! hedged
Let's move the standup to 9:30. => ! instruction
According to Priya, the freeze starts on Monday. => ! reported
Imagine the depot had two cranes. => ! hypothetical
I plan to move to Faro in 2027. => ! planned
We often ship on Saturdays. => ! habitual
Do not restart the broker during business hours. => ! instruction
Kofi might take over the parser. => ! hedged
You should never share the door code. => ! instruction
Kofi told me that the parser belongs to Bea. => ! reported
Unless the queue is empty, the job waits. => ! hypothetical
The invoice total is probably 900 EUR. => ! hedged
What time is the cutoff? => ! question
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One claim that a sentence makes, in all its accepted forms."""

    forms: tuple[tuple[str, str, str], ...]
    negative: bool
    valid_from: str | None
    valid_to: str | None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and the claims it makes; `modality` where it must make none."""

    text: str
    claims: tuple[Wanted, ...]
    modality: str | None


def _claim(text: str) -> Wanted:
    body, _, period = text.partition("@")
    start, _, end = period.strip().partition("..")
    negative = body.strip().startswith("- ")
    parts = [part.strip().removeprefix("- ").strip() for part in body.split("|")]
    forms = []
    flat = "|".join(parts)
    for form in flat.split(" / "):
        subject, predicate, thing = form.split("|")
        forms.append((subject.strip(), predicate.strip(), thing.strip()))
    return Wanted(tuple(forms), negative, start or None, end or None)


def read(block: str) -> list[Labelled]:
    """Return the labelled sentences of a block."""
    out = []
    for line in block.strip().splitlines():
        text, _, claims = line.partition("=>")
        claims = claims.strip()
        if claims.startswith("!"):
            out.append(Labelled(text.strip(), (), claims.removeprefix("!").strip()))
        else:
            out.append(Labelled(text.strip(), tuple(_claim(claim) for claim in claims.split(" ; ")), None))
    return out
