"""A real OpenAI-compatible server on loopback, well-behaved or not, for the tests of the client."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from cuda_l1 import llm
from cuda_l1.replies import Completion

MODEL = "toy-model"
KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "Make it fast."}]


class ChatServer(ThreadingHTTPServer):
    """Behaviour by `modes`: words that switch on one quirk each. `requests` holds the body of every chat call."""

    daemon_threads = True

    def __init__(self, *modes: str, text: str = "", port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.modes = set(modes)
        self.text = text
        """What every reply says; without it, `reply CALL.INDEX`."""
        self.requests: list[dict[str, Any]] = []
        self.logins: list[str] = []
        self.failures_left = 2
        self.busy = self.busiest = 0
        self.lock = threading.Lock()

    def say(self, number: int, index: int) -> str:
        """One reply to the request of that number, from 1."""
        return self.text or f"reply {number}.{index}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    REFUSALS: ClassVar = {
        "refuses_n": ("n", "n must equal 1"),
        "refuses_temperature": ("temperature", "'temperature' does not support 0.8 with this model"),
        "refuses_max_tokens": ("max_tokens", "Use 'max_completion_tokens' instead."),
        "refuses_stream": ("stream", "Your organization must be verified to stream this model."),
        "refuses_stream_options": ("stream_options", "stream_options: extra fields not permitted"),
        "small_context": ("max_tokens", "max_tokens is too large: this model's maximum context length is 2048 tokens"),
    }
    FAILURES: ClassVar[dict[str, tuple[int, str, dict[str, str]]]] = {
        "429_twice": (429, "slow down", {"retry-after-ms": "10"}),
        "429_resets": (429, "slow down", {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}),
        "429_for_long": (429, "slow down", {"Retry-After": "7200"}),
        "loading_twice": (503, "Loading model", {"retry-after-ms": "10"}),
    }

    def do_GET(self) -> None:
        modes = self.server.modes
        self.server.logins.append(self.headers["Authorization"])
        if "401" in modes:
            return self.answer(401, {"error": {"message": f"bad key {self.headers['Authorization']}"}})
        if "html" in modes:
            return self.answer(200, "<html>hello</html>")
        if "no_list" in modes:
            return self.answer(500, {"detail": "no list here"})
        if "half_list" in modes:
            return self.answer(200, '{"data": [', {"Content-Type": "application/json"})
        return self.answer(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server, modes = self.server, self.server.modes
        with server.lock:
            server.requests.append(body)
            number = len(server.requests)
            server.busy += 1
            server.busiest = max(server.busiest, server.busy)
            fails = not modes.isdisjoint(self.FAILURES) and server.failures_left > 0
            server.failures_left -= fails
        if "slow" in modes:
            time.sleep(0.2)
        try:
            self.reply(body, number, fails)
        except BrokenPipeError:
            pass  # the client hung up
        finally:
            with server.lock:
                server.busy -= 1

    def reply(self, body: dict[str, Any], number: int, fails: bool) -> None:
        modes = self.server.modes
        if fails:
            status, words, headers = next(self.FAILURES[mode] for mode in modes if mode in self.FAILURES)
            return self.answer(status, {"error": {"message": words}}, headers)
        if "errs_whole" in modes:
            return self.answer(200, {"error": {"message": "no GPU is free", "code": 502}})
        if "spent" in modes:
            return self.answer(429, {"error": {"message": "no credit left", "code": "insufficient_quota"}})
        if "says_nothing" in modes:
            return self.stream([], None)
        if "500" in modes or ("500_after_first" in modes and number > 1):
            return self.answer(500, {"error": {"message": f"broken, key was {self.headers['Authorization']}"}})
        if "html" in modes:
            return self.answer(200, "<html>hello</html>")
        if body["model"] != MODEL:
            return self.answer(404, {"error": {"message": f"no model {body['model']}"}})
        for mode, (param, message) in self.REFUSALS.items():
            if mode in modes and param in body:
                return self.answer(400, {"error": {"message": message, "param": param}})
        if "breaks_on_n" in modes and body.get("n", 1) > 1:
            return self.answer(500, {"error": {"message": "Only one completion choice is allowed"}})
        choices = [self.choice(number, i) for i in range(1 if "ignores_n" in modes else body.get("n", 1))]
        usage = None
        if "no_usage" not in modes:
            written = 0 if "zero_usage" in modes else 7 * len(choices)
            usage = {"prompt_tokens": 11 if written else 0, "completion_tokens": written}
            usage |= {"prompt_tokens_details": {"cached_tokens": 8}} if "cached" in modes else {}
        if body.get("stream") and "ignores_stream" not in modes:
            return self.stream(choices, usage if "stream_options" in body else None)
        reply = {"id": "x", "object": "chat.completion", "created": 0, "model": MODEL, "usage": usage}
        return self.answer(
            200, reply | {"choices": choices}, {"Content-Length": "99999"} if "breaks" in modes else None
        )

    def choice(self, number: int, index: int) -> dict[str, Any]:
        modes = self.server.modes
        message = {
            "role": "assistant",
            "content": self.server.say(number, index),
            ("reasoning" if "reasoning" in modes else "reasoning_content"): "secret thoughts",
        }
        reason = "length" if "cut" in modes else "content_filter" if "filters" in modes else "stop"
        if "refuses" in modes:
            message["refusal"] = f"I will not, {self.headers['Authorization']}."
        if modes & {"empty", "refuses", "filters"}:
            message["content"] = ""
        return {"index": index, "finish_reason": reason, "message": message}

    def stream(self, choices: list[dict[str, Any]], usage: dict[str, Any] | None) -> None:
        """Every message in pieces, the choices by turns, then the reasons, then the count; or less, by mode."""
        modes = self.server.modes
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        if "breaks" in modes:
            self.send_header("Content-Length", "100000")  # more than will come: a lost connection
        self.end_headers()
        if "breaks_at_once" in modes and self.server.failures_left > 0:
            self.server.failures_left -= 1
            return
        if "says_nothing" in modes:
            self.event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
            return
        for name in ("reasoning_content", "reasoning", "refusal", "content"):
            for i, choice in enumerate(choices):
                text = choice["message"].get(name, "")
                for piece in (text[:4], text[4:]):
                    if "stalls" in modes and name == "content" and piece == text[4:]:
                        time.sleep(5)
                    self.event({"choices": [{"index": i, "delta": {name: piece}}]})
        if "errs" in modes:
            self.event({"error": {"message": f"out of memory, key was {self.headers['Authorization']}"}})
        elif modes.isdisjoint({"breaks", "ends_early"}):
            for i, choice in enumerate(choices):
                self.event({"choices": [{"index": i, "delta": {}, "finish_reason": choice["finish_reason"]}]})
            if usage:
                self.event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

    def event(self, data: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps({"id": "x", "model": MODEL, "created": 0, **data}).encode() + b"\n\n")
        self.wfile.flush()

    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/html" if isinstance(body, str) else "application/json"
        # The client's retries need not make the tests slow.
        more = headers if headers is not None else {"retry-after-ms": "10"}
        self.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": str(len(data))} | more).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@contextmanager
def chat_server(
    *modes: str, text: str = "", port: int = 0, kind: type[ChatServer] = ChatServer
) -> Iterator[ChatServer]:
    """The server in a thread of its own, stopped at the end."""
    server = kind(*modes, text=text, port=port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(server: ChatServer, n: int = 1, **settings: Any) -> tuple[list[Completion], list[str]]:
    """Connects, asks once for n samples, closes: the samples and the client's notes."""
    client = llm.connect(MODEL, base_url=server.url, **settings)

    async def session() -> list[Completion]:
        try:
            return await client.complete(ASK, n)
        finally:
            await client.aclose()

    return asyncio.run(session()), client.notes
