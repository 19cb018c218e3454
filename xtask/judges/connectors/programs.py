"""The programs that judges run: the fake, Prism, and scripts that report by lines."""

import json
import os
import socket
import subprocess
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_SECONDS = 300


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


class Accepting(BaseHTTPRequestHandler):
    """Takes every notice."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """The fake keeps what it sent."""


@contextmanager
def door():
    """An address for notices, as long as it is needed."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Accepting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class Program:
    """A process that serves until it is stopped."""

    def __init__(self, command, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def wait_for(self, text):
        """Returns the first line that holds the text; what it prints later is of no interest."""
        seen = []
        for line in self.process.stdout:
            if text in line:
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return line
            seen.append(line)
        raise SystemExit(f"{self.process.args[0]} did not start: {''.join(seen)}")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


class Prism(Program):
    """A proxy that compares requests and answers with an OpenAPI document."""

    def __init__(self, folder, document, upstream):
        self.port = free_port()
        prism = [f"{folder}/node_modules/.bin/prism", "proxy", document, upstream]
        super().__init__([*prism, "--host", "127.0.0.1", "--port", str(self.port)])
        self.wait_for("is listening")
        self.address = f"http://127.0.0.1:{self.port}"


class Fake(Program):
    """`fakepsp serve`; its line of JSON says where it listens."""

    def __init__(self, program, folder, port, through=None):
        free = "127.0.0.1:0"
        command = [program, "serve", "--folder", folder, "--plain", f"127.0.0.1:{port}"]
        command += ["--tls-client", free, "--tls", free, "--until-stdin-closes"]
        # A run asks for more tokens than the bank grants in a minute.
        command += ["--settings", json.dumps({"inter_token_limit": 0})]
        if through:
            command += ["--through", through]
        super().__init__(command, stdin=subprocess.PIPE)
        self.place = json.loads(self.wait_for("{"))

    def admin(self, method, path):
        request = urllib.request.Request(self.place["plain"] + path, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def log(self):
        return self.admin("GET", "/__log")

    def forget(self):
        """Empties the books and the log."""
        self.admin("DELETE", "/__state")


class Tally:
    """What passed and what failed, by name."""

    def __init__(self):
        self.passed = []
        self.failed = {}

    def note(self, name, why=None):
        if why is None:
            self.passed.append(name)
        else:
            self.failed[name] = why

    def check(self, name, faults):
        """A check that lists its faults."""
        self.note(name, "; ".join(map(str, faults)) or None)

    def add(self, other):
        self.passed += other.passed
        self.failed |= other.failed


def lines_of(title, command, variables=None):
    """Runs a script that reports by lines; one that does not reach its end has failed."""
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    tally = Tally()
    lines = done.stdout.splitlines()
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "ok":
            tally.note(rest)
        elif word == "FAILED":
            name, _, why = rest.partition(" | ")
            tally.note(name, why)
    if "end" not in lines:
        tally.note(f"{title} runs to its end", (done.stderr or done.stdout)[-2_000:])
    elif not tally.passed and not tally.failed:
        tally.note(f"{title} checks something", "no line")
    return tally
