"""A real OpenAI-compatible server on loopback, well-behaved or not, for the tests of the client."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

MODEL = "toy-model"
KEY = "sk-secret-0123456789"


class ChatServer(ThreadingHTTPServer):
    """Behaviour by `modes`: words that switch on one quirk each. `requests` holds the body of every chat call."""

    daemon_threads = True

    def __init__(self, *modes: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.modes = set(modes)
        self.requests: list[dict[str, Any]] = []
        self.failures_left = 2
        self.busy = self.busiest = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    REFUSALS: ClassVar = {
        "refuses_n": ("n", "n must equal 1"),
        "refuses_temperature": ("temperature", "'temperature' does not support 0.8 with this model"),
        "refuses_max_tokens": ("max_tokens", "Use 'max_completion_tokens' instead."),
    }

    def do_GET(self) -> None:
        modes = self.server.modes
        if "401" in modes:
            return self.answer(401, {"error": {"message": f"bad key {self.headers['Authorization']}"}})
        if "html" in modes:
            return self.answer(200, "<html>hello</html>")
        if "no_list" in modes:
            return self.answer(500, {"detail": "no list here"})
        return self.answer(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server, modes = self.server, self.server.modes
        with server.lock:
            server.requests.append(body)
            number = len(server.requests)
            server.busy += 1
            server.busiest = max(server.busiest, server.busy)
            fails = "429_twice" in modes and server.failures_left > 0
            server.failures_left -= fails
        if "slow" in modes:
            time.sleep(0.2)
        try:
            self.reply(body, number, fails)
        finally:
            with server.lock:
                server.busy -= 1

    def reply(self, body: dict[str, Any], number: int, fails: bool) -> None:
        modes = self.server.modes
        if fails:
            return self.answer(429, {"error": {"message": "slow down"}})
        if "500" in modes or ("500_after_first" in modes and number > 1):
            return self.answer(500, {"error": {"message": f"broken, key was {self.headers['Authorization']}"}})
        if "html" in modes:
            return self.answer(200, "<html>hello</html>")
        if body["model"] != MODEL:
            return self.answer(404, {"error": {"message": f"no model {body['model']}"}})
        for mode, (param, message) in self.REFUSALS.items():
            if mode in modes and param in body:
                return self.answer(400, {"error": {"message": message, "param": param}})
        n = 1 if "ignores_n" in modes else body.get("n", 1)
        reply: dict[str, Any] = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": MODEL,
            "choices": [
                {
                    "index": i,
                    "finish_reason": "length" if "cut" in modes else "stop",
                    "message": {
                        "role": "assistant",
                        "content": None if "empty" in modes else f"reply {number}.{i}",
                        "reasoning_content": "secret thoughts",
                    },
                }
                for i in range(n)
            ],
        }
        if "no_usage" not in modes:
            reply["usage"] = {"prompt_tokens": 11, "completion_tokens": 7 * n, "total_tokens": 11 + 7 * n}
        return self.answer(200, reply)

    def answer(self, status: int, body: Any) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "10")  # the client's retries need not make the tests slow
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@contextmanager
def chat_server(*modes: str) -> Iterator[ChatServer]:
    """The server in a thread of its own, stopped at the end."""
    server = ChatServer(*modes)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
