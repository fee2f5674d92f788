"""A model's server on the loopback interface: it answers what it was told to, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: what is sent back: a status and a body
Reply = tuple[int, Any]


def completion(content: str | None, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    """Return a chat completion."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "finish_reason": finish, "message": message, "logprobs": None}
    return 200, {"id": "c", "object": "chat.completion", "created": 0, "model": "stub", "choices": [choice]}


def fact(subject: str, predicate: str, value: str, quote: str, **more: Any) -> dict[str, Any]:
    """Return one fact as a model tells it."""
    told = {"negated": False, "basis": "stated", "source_turn": "0", "expiry": None}
    return {"subject": subject, "predicate": predicate, "object": value, "quote": quote, **told, **more}


def facts(*given: dict[str, Any]) -> Reply:
    """Return a completion with these facts."""
    return completion(json.dumps({"facts": list(given)}))


class StubServer:
    """Answers the replies in order, the last one for ever; `replies` may also be a function of the texts asked about."""

    def __init__(self, replies: list[Reply] | Callable[[list[dict[str, Any]]], Reply]) -> None:
        self.replies = replies
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    def reply(self, body: dict[str, Any]) -> Reply:
        self.asked.append(body)
        if callable(self.replies):
            return self.replies(json.loads(body["messages"][1]["content"])["turns"])
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


@contextmanager
def serving(replies: list[Reply] | Callable[[list[dict[str, Any]]], Reply]) -> Iterator[StubServer]:
    """Run a server while the block runs."""
    stub = StubServer(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.headers.append(dict(self.headers))
            status, answer = stub.reply(body)
            sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
