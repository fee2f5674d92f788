"""Strings with and without secrets, made from public formats. Nothing here was ever valid anywhere.

Token-shaped strings are put together at run time from a seeded generator, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import random
import string
import uuid

from stdnum import iban as stdnum_iban
from stdnum import luhn

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"


def _some(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(size))


def _digits(rng: random.Random, size: int) -> str:
    return _some(rng, string.digits, size)


def _luhn(rng: random.Random, prefix: str, size: int) -> str:
    body = prefix + _digits(rng, size - len(prefix) - 1)
    return body + luhn.calc_check_digit(body)


def _grouped(digits: str, *sizes: int, by: str = " ") -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(digits[at : at + size])
        at += size
    return by.join(parts)


def _valid(rng: random.Random, module: str, make) -> str:
    """Draw until python-stdnum agrees."""
    from importlib import import_module

    check = import_module("stdnum." + module)
    for _ in range(200_000):
        drawn = make()
        if check.is_valid(drawn):
            return drawn
    raise AssertionError(module)


def _iban(rng: random.Random, country: str, bban: str) -> str:
    made = stdnum_iban.compact(country + "00" + bban)
    for check in range(2, 99):
        tried = f"{made[:2]}{check:02d}{made[4:]}"
        if stdnum_iban.is_valid(tried, check_country=False):
            return tried
    raise AssertionError(country)


def _segment(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _tokens(rng: random.Random) -> list[str]:
    def a(size: int, alphabet: str = ALNUM) -> str:
        return _some(rng, alphabet, size)

    upper = string.ascii_uppercase + string.digits
    jwt = ".".join((_segment('{"alg":"HS256"}'), _segment('{"sub":"1234567890"}'), a(43, URLSAFE)))
    return [
        "AKIA" + a(16, string.ascii_uppercase + "234567"),
        "ASIA" + a(16, upper),
        *(f"gh{kind}_{a(36)}" for kind in "pousr"),
        f"github_pat_{a(22)}_{a(59)}",
        f"glpat-{a(20, URLSAFE)}",
        f"glrt-{a(20, URLSAFE)}",
        f"xoxb-{_digits(rng, 12)}-{_digits(rng, 12)}-{a(24)}",
        f"xoxp-{_digits(rng, 11)}-{_digits(rng, 11)}-{a(32, HEX)}",
        f"xapp-1-A{a(10, upper)}-{_digits(rng, 13)}-{a(64, HEX)}",
        f"https://hooks.slack.com/services/T{a(8, upper)}/B{a(8, upper)}/{a(24)}",
        f"https://discord.com/api/webhooks/{_digits(rng, 18)}/{a(68, URLSAFE)}",
        f"sk_live_{a(24)}",
        f"rk_test_{a(24)}",
        f"whsec_{a(32)}",
        f"sq0atp-{a(22, URLSAFE)}",
        f"AIza{a(35, URLSAFE)}",
        f"ya29.{a(60, URLSAFE)}",
        f"GOCSPX-{a(28, URLSAFE)}",
        f"sk-{a(20)}T3BlbkFJ{a(20)}",
        f"sk-proj-{a(48, URLSAFE)}",
        f"sk-ant-api03-{a(93, URLSAFE)}AA",
        f"hf_{a(34, string.ascii_letters)}",
        f"SG.{a(22, URLSAFE)}.{a(43, URLSAFE)}",
        f"key-{a(32, HEX)}",
        f"{a(32, HEX)}-us14",
        f"npm_{a(36)}",
        f"pypi-AgEIcHlwaS5vcmc{a(80, URLSAFE)}",
        f"rubygems_{a(48, HEX)}",
        f"dckr_pat_{a(27, URLSAFE)}",
        f"dop_v1_{a(64, HEX)}",
        f"dapi{a(32, HEX)}",
        f"shpat_{a(32, HEX)}",
        f"lin_api_{a(40)}",
        f"secret_{a(43)}",
        f"ntn_{a(46)}",
        f"pat{a(14)}.{a(64, HEX)}",
        f"ATATT3{a(180, URLSAFE)}=",
        f"NRAK-{a(27, upper)}",
        f"glsa_{a(32)}_{a(8, HEX)}",
        f"PMAK-{a(24, HEX)}-{a(34, HEX)}",
        f"hvs.{a(90, URLSAFE)}",
        f"dp.pt.{a(43)}",
        f"pul-{a(40, HEX)}",
        f"{_digits(rng, 9)}:AA{a(33, URLSAFE)}",
        f"M{a(23)}.{a(6, URLSAFE)}.{a(27, URLSAFE)}",
        f"SK{a(32, HEX)}",
        f"AGE-SECRET-KEY-1{a(58, upper)}",
        jwt,
        f"Bearer {a(40, URLSAFE)}",
        f"otpauth://totp/Mill:ana?secret={a(16, string.ascii_uppercase)}&issuer=Mill",
        f"postgres://app:{a(12)}@db.example.org:5432/main",
        f"https://deploy:{a(20)}@git.example.org/mill/site.git",
        f"https://files.example.org/report.pdf?access_token={a(32)}",
        f"AccountKey={a(86)}==",
        f"$2b$12${a(53)}",
        f"xprv{a(107)}",
        f"figd_{a(40, URLSAFE)}",
        f"sntrys_{a(60)}",
        f"sbp_{a(40, HEX)}",
        f"-----BEGIN RSA PRIVATE KEY-----\n{a(64)}\n{a(64)}",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    ]


def _in_context(rng: random.Random) -> list[str]:
    def a(size: int, alphabet: str = ALNUM) -> str:
        return _some(rng, alphabet, size)

    return [
        "The wifi password of the mill is heron-42-Tide.",
        "password: Quill!ng7",
        "pass=tulip99",
        "pw: Ferry2Mill",
        "The admin pw is Ferry2Mill",
        "PASSWORD = 'grey otter 12'",
        "login ana, password swordfish88",
        "db_password=tangerine",
        'DATABASE_PASSWORD: "oak-and-ash"',
        "root password was changed to Marmalade#1",
        "Das Passwort ist Nebel-Horn7",
        "le mot de passe est Girofle!8",
        "la contraseña es Lavanda_77",
        "\u043f\u0430\u0440\u043e\u043b\u044c: Zima2024!",
        "\u5bc6\u7801\u662f Qiu88tian",
        "mysql -u root -pTulip77 mill",
        "sshpass -p 'Tulip77' ssh ana@mill.example.org",
        "curl -u ana:tulip77 https://mill.example.org/api",
        "restore with --password Tulip77",
        "run it with -pS3cret",
        "CREATE USER app IDENTIFIED BY 'Tulip77'",
        "PGPASSWORD=tulip77 psql",
        "machine mill.example.org login ana password tulip77",
        "passphrase: correct-horse-battery-staple",
        f"api_key = {a(32)}",
        f"apiKey: '{a(24)}'",
        f'"client_secret": "{a(30, URLSAFE)}"',
        f"aws_secret_access_key={a(40, ALNUM + '/+')}",
        f"the secret token is {a(24)}",
        f"X-Api-Key: {a(28)}",
        f"export MILL_TOKEN={a(40, HEX)}",
        f"auth token {a(32, HEX)}",
        f"signing secret: {a(32, HEX)}",
        f"the access key of the backup is {a(20)}",
        f"APP_KEY=base64:{a(43)}=",
        f"Cookie: theme=dark; session={a(32)}",
        f"Set-Cookie: connect.sid=s%3A{a(32)}.{a(40)}; Path=/",
        f"PHPSESSID={a(26)}",
        f"JSESSIONID: {a(32, HEX.upper())}",
        f"Authorization: Basic {base64.b64encode(b'ana:tulip77-mill').decode()}",
        "Your verification code is 482913.",
        "OTP: 220 418",
        "G-118845 is your Mill verification code",
        "Use code 918273 to verify your account",
        "2FA code: 551204",
        "the one-time password is 7714",
        "backup codes: 8f3k-29dk-aa71",
        "login code for ana: 9918",
        "The PIN of the fuel card is 4821.",
        "pin: 0917",
        "CVV 418",
        "the alarm code is 77120",
        "door code: 4417",
        "safe combination is 12-44-31",
        "Her mother's maiden name is Tangerine.",
        "seed phrase: apple river stone glass candle forest violin meadow pepper anchor silver tunnel",
        "passport number is X1234567",
        "Passport No: 512345678",
        "her driving licence number is MORGA657054SM9IJ",
        "driver's license: D1234567",
        "bank account number 12345678, sort code 20-00-00",
        "routing number: 021000021",
        "medicare number 2123 45670 1",
        f"private key: 0x{a(64, HEX)}",
    ]


def _numbers(rng: random.Random) -> list[str]:
    def d(size: int) -> str:
        return _digits(rng, size)

    def date(form: str = "{y:02d}{m:02d}{d:02d}") -> str:
        return form.format(y=rng.randrange(50, 99), m=rng.randrange(1, 13), d=rng.randrange(1, 28))

    cards = [
        _luhn(rng, "4", 16),
        _grouped(_luhn(rng, "4", 16), 4, 4, 4, 4),
        _grouped(_luhn(rng, "52", 16), 4, 4, 4, 4, by="-"),
        _luhn(rng, "2221", 16),
        _grouped(_luhn(rng, "37", 15), 4, 6, 5),
        _luhn(rng, "34", 15),
        _luhn(rng, "6011", 16),
        _grouped(_luhn(rng, "3530", 16), 4, 4, 4, 4),
        _grouped(_luhn(rng, "36", 14), 4, 6, 4),
        _luhn(rng, "62", 17),
        _grouped(_luhn(rng, "4", 16), 4, 4, 4, 4, by="."),
        "debit card " + _luhn(rng, "5018", 16),
        "4111 1111 1111 1111",
        "5555555555554444",
        "378282246310005",
    ]
    accounts = [
        _iban(rng, "DE", d(18)),
        _grouped(_iban(rng, "DE", d(18)), 4, 4, 4, 4, 4, 2),
        _iban(rng, "GB", "NWBK" + d(14)),
        _iban(rng, "FR", d(23)),
        _grouped(_iban(rng, "NL", "ABNA" + d(10)), 4, 4, 4, 4, 2),
        _iban(rng, "ES", d(20)),
        _iban(rng, "CH", d(17)),
        _iban(rng, "NO", d(11)),
        _iban(rng, "PL", d(24)).lower(),
        _valid(rng, "nz.bankaccount", lambda: f"01-{rng.randrange(1, 300):04d}-{d(7)}-00"),
    ]
    make = {
        "es.dni": lambda: d(8) + rng.choice("TRWAGMYFPDXBNJZSQVHLCKE"),
        "es.nie": lambda: "X" + d(7) + rng.choice("TRWAGMYFPDXBNJZSQVHLCKE"),
        "fr.nir": lambda: f"2{date('{y:02d}{m:02d}')}75{d(6)}{d(2)}",
        "be.nn": lambda: f"{date('{y:02d}.{m:02d}.{d:02d}')}-{d(3)}.{d(2)}",
        "fi.hetu": lambda: date("{d:02d}{m:02d}{y:02d}") + "-" + d(3) + rng.choice("0123456789ABCDEFHJKLMNPRSTUVWXY"),
        "us.ssn": lambda: f"{rng.randrange(100, 600)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}",
        "cn.ric": lambda: (
            f"1101011985{rng.randrange(1, 13):02d}{rng.randrange(10, 28)}{d(3)}{rng.choice('0123456789X')}"
        ),
        "in_.pan": lambda: "".join(rng.choice(string.ascii_uppercase) for _ in range(3)) + "PK" + d(4) + "F",
        "in_.aadhaar": lambda: f"{rng.randrange(2000, 9999)} {d(4)} {d(4)}",
        "ch.ssn": lambda: f"756.{d(4)}.{d(4)}.{d(2)}",
        "br.cpf": lambda: f"{d(3)}.{d(3)}.{d(3)}-{d(2)}",
        "kr.rrn": lambda: f"{date()}-1{d(6)}",
        "se.personnummer": lambda: f"{date()}-{d(4)}",
        "cz.rc": lambda: f"{date()}/{d(4)}",
        "cl.rut": lambda: f"{rng.randrange(5, 24)}.{d(3)}.{d(3)}-{rng.choice('0123456789K')}",
        "it.codicefiscale": lambda: (
            "RSSMRA" + f"{rng.randrange(50, 99)}A{rng.randrange(10, 28)}H501" + rng.choice(string.ascii_uppercase)
        ),
        "mx.curp": lambda: f"GOMA{date()}MDFLRN0{d(1)}",
    }
    beside = {
        "pl.pesel": ("PESEL {}", lambda: date() + d(5)),
        "nl.bsn": ("her BSN is {}", lambda: d(9)),
        "de.idnr": ("Steuer-ID: {}", lambda: d(11)),
        "gb.nhs": ("NHS number {}", lambda: f"{d(3)} {d(3)} {d(4)}"),
        "au.tfn": ("tax file number {}", lambda: f"{d(3)} {d(3)} {d(3)}"),
        "nz.ird": ("IRD number {}", lambda: f"{rng.randrange(10, 120)}-{d(3)}-{d(3)}"),
        "ca.sin": ("his SIN is {}", lambda: f"{rng.randrange(1, 7)}{d(2)} {d(3)} {d(3)}"),
        "dk.cpr": ("CPR-nummer {}", lambda: date("{d:02d}{m:02d}{y:02d}") + "-" + d(4)),
        "no.fodselsnummer": ("f\u00f8dselsnummer {}", lambda: date("{d:02d}{m:02d}{y:02d}") + " " + d(5)),
        "tr.tckimlik": ("TC Kimlik No {}", lambda: str(rng.randrange(1, 9)) + d(10)),
        "ro.cnp": ("CNP: {}", lambda: "2" + date() + "12" + d(4)),
        "za.idnr": ("South African ID number {}", lambda: date() + " " + d(4) + " 08" + d(1)),
        "ie.pps": ("PPS number {}", lambda: d(7) + rng.choice("ABCDEFGHIJKLMNOPQRSTUVW")),
        "il.idnr": ("teudat zehut {}", lambda: d(9)),
        "hr.oib": ("OIB {}", lambda: d(11)),
        "gr.amka": ("AMKA {}", lambda: date("{d:02d}{m:02d}{y:02d}") + d(5)),
        "ee.ik": ("isikukood {}", lambda: "4" + date() + d(4)),
    }
    alone = [_valid(rng, module, maker) for module, maker in make.items()]
    named = [phrase.format(_valid(rng, module, maker)) for module, (phrase, maker) in beside.items()]
    return cards + accounts + alone + named + ["AB 12 34 56 C", "NINO: QQ123456C".replace("QQ", "JK")]


_FRAMES = ("{}", "The night copy signs in with {} every day.", "note for Ana: {}", "see \u201c{}\u201d in the log")


def positives() -> list[str]:
    """Strings that hold a secret, some inside a sentence."""
    rng = random.Random(20260101)
    framed = [_FRAMES[place % len(_FRAMES)].format(made) for place, made in enumerate(_tokens(rng) + _numbers(rng))]
    return framed + _in_context(rng)


def negatives() -> list[str]:
    """Strings that look like secrets and hold none."""
    rng = random.Random(20260102)

    def a(size: int, alphabet: str = ALNUM) -> str:
        return _some(rng, alphabet, size)

    def unlucky(prefix: str, size: int) -> str:
        while luhn.is_valid(drawn := prefix + _digits(rng, size - len(prefix))):
            pass
        return drawn

    made: list[str] = []
    for _ in range(12):
        made += [
            a(40, HEX),
            f"built from commit {a(40, HEX)}",
            f"fixed in {a(7, HEX)}",
            f"sha256:{a(64, HEX)}",
            f"md5 {a(32, HEX)}",
            str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            f"order number {unlucky('4', 16)}",
            f"order {unlucky('45', 16)[:4]} 2210 9931 {rng.randrange(1000, 9999)}".replace(" 2210", "-2210"),
            f"tracking number 1Z{a(16, string.ascii_uppercase + string.digits)}",
            f"parcel {_digits(rng, 12)}",
            f"USPS 94001{_digits(rng, 17)}",
            f"invoice 2026-{_digits(rng, 5)}",
            base64.b64encode(rng.randbytes(32)).decode(),
            f"integrity sha512-{base64.b64encode(rng.randbytes(64)).decode()}",
            f"1{_digits(rng, 12)} ms since the epoch",
            f"ISBN 978-0-{_digits(rng, 2)}-{_digits(rng, 6)}-{rng.randrange(10)}",
            f"call +44 20 7946 {_digits(rng, 4)}",
            f"0.{_digits(rng, 16)}",
            f"ticket MILL-{_digits(rng, 5)}",
            f"version {rng.randrange(20)}.{rng.randrange(40)}.{rng.randrange(99)}",
            f"batch {a(8, string.ascii_uppercase + string.digits)}",
            f"lot no. {_digits(rng, 9)}",
        ]
    return made + [
        "a password policy of 14 characters",
        "password rotation every 90 days",
        "The password is required.",
        "The password is stored in the vault.",
        "the password of the portal is sent by post",
        "Reset your password: open the portal and choose a new one.",
        "password: <your password>",
        "password: ********",
        "PASSWORD=${DB_PASSWORD}",
        "password = os.environ['DB_PASSWORD']",
        "She forgot the password again.",
        "passwords are hashed with bcrypt",
        "The password is the same as last year.",
        "password managers are allowed",
        "Ana passed the exam",
        "boarding pass is in the drawer",
        "the ski pass costs 48 euros",
        "mountain pass: closed in winter",
        "pass: yes",
        "the token ring was replaced",
        "token count: 12000",
        "max_tokens = 4096",
        "each call costs 1200 tokens",
        "The access token lifetime is 3600 seconds.",
        "the API key is kept in the vault",
        "api key: required",
        "API keys are rotated monthly",
        "primary key: customer_name",
        "foreign key customer_id references customers",
        "the key to the cellar hangs by the door",
        "public key: see the website",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "secret ingredient: cardamom",
        "Secret Santa is on Friday",
        "the secret is patience",
        "postal code is 10115",
        "zip code 90210",
        "error code: 500123",
        "country code: +47",
        "product code 483920",
        "dress code is casual",
        "the code review took 40 minutes",
        "source code is in the repository",
        "QR code 7 is printed on the lid",
        "pin 13 of the connector is ground",
        "bowling pin 10 fell",
        "The session is documented in the minutes.",
        "session: introduction to weaving",
        "cookie: chocolate chip",
        "the cookie banner was removed",
        "bearer of responsibilities",
        "basic understanding of internationalization",
        "mkdir -p build/coverage",
        "docker run -p 8080:80 web",
        "ssh -p 2222 ana@mill.example.org",
        "nmap -p1-1024 host",
        "https://example.org:8080/path?q=keys",
        "https://user@example.org/inbox",
        "mailto:ana@example.org",
        "postgres://localhost:5432/main",
        "Account 7 belongs to the bakery",
        "account number list of 2024",
        "the passport office opened in 2021",
        "passport photos cost 12 euros",
        "medicare was founded in 1965",
        "the safe is behind the painting",
        "seed 42 was used for the run",
        "the seed phrase must be kept on paper",
        "security question answers are hashed",
        "2026-03-01 to 2026-04-15",
        "10.0.0.12 and 192.168.17.44",
        "room 4111, floor 11",
        "meter reading 4111 1111 1111 1112",
        "the range is 1000 2000 3000 4000",
        "4 4 4 4 beats per bar",
        "coordinates 59.3293235, 18.0685808",
        "IMEI 356938035643809",
        "EAN 4006381333931",
        "chapter 12.345.678-9 of the code",
        "DE is the country, 12 3456 the district",
        "GB12 is a bus line",
        "sk-learn-pipelines are documented",
        "key-value stores are fast",
        "the npm_config_cache folder",
        "eyJ is how such tokens begin",
        "AKIA is the prefix of access keys",
        "Basic plan: 12 seats",
        "the pwd command prints the folder",
        "cat /etc/passwd shows users",
        "the auth service runs on port 8443",
        "authorization: granted by the board",
        "client secrets live in the vault",
        "credentials are checked at the door",
        "the license key expires in March",
        "service account: billing-reader@mill.example.org",
        "ssh-ed25519 public keys only",
        "oauth2-proxy sits in front",
        "base64 is not encryption",
        "Kit 5 weighs 3 kg",
        "Line 3 is rated for 84 units",
        "Anna \u0440\u0430\u0431\u043e\u0442\u0430\u0435\u0442 \u0432 \u041e\u0434\u0435\u0441\u0441\u0435",
    ]
