"""Receives webhooks from a real server and checks every one as a merchant in Python would.

Argument: the program. The signatures are checked by the `standardwebhooks` package and by plain
`hmac`; no code is shared with the server.
"""

import base64
import hashlib
import hmac
import json
import queue
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from product import PATIENCE_SECONDS, Server, Shop
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

METADATA = {"emoji": "🏖", "quote": "\"'\\"}


class Receiver(BaseHTTPRequestHandler):
    """A merchant's server; the very first delivery is refused, so that it comes again."""

    arrived = queue.Queue()
    refused = threading.Event()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        first = not Receiver.refused.is_set()
        Receiver.refused.set()
        Receiver.arrived.put((self.path, dict(self.headers), body))
        self.send_response(500 if first else 200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        """The server's deliveries are judged, not listed."""


def body_signature(secret, body):
    return base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest()).decode()


def accepts(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


def faults(delivery, secrets):
    """Says what is wrong with a delivery; the newest secret comes first, retired ones last."""
    _, headers, body = delivery
    headers = {name.lower(): value for name, value in headers.items()}
    good, retired = secrets
    for secret in good:
        if not accepts(secret, body, headers):
            yield "a current secret does not verify it"
    if any(accepts(secret, body, headers) for secret in retired):
        yield "a retired secret verifies it"
    if accepts(good[0], body + b" ", headers):
        yield "another body verifies"
    if accepts(good[0], body, {**headers, "webhook-id": "another"}):
        yield "another id verifies"
    for name in ("x-webhook-signature", "x-service-signature"):
        if headers.get(name) != body_signature(good[0], body):
            yield f"{name} is not the body's HMAC"
    envelope = json.loads(body)
    told = {
        "webhook-id": envelope["id"],
        "x-webhook-id": envelope["id"],
        "x-webhook-event": envelope["event"],
        "x-webhook-timestamp": headers["webhook-timestamp"],
    }
    for name, value in told.items():
        if headers.get(name) != value:
            yield f"{name} is {headers.get(name)}, not {value}"
    if abs(time.time() - int(headers["webhook-timestamp"])) > PATIENCE_SECONDS:
        yield "its time is not now"


def deliveries(shop, addresses):
    """Waits for every event at every address, and for the refused one to come again."""
    path = "/api/webhooks/events?limit=100"
    arrived, deadline = [], time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            while True:
                arrived.append(Receiver.arrived.get(timeout=0.2))
        except queue.Empty:
            pass
        states = [
            delivery["status"]
            for event in shop.call("GET", path)["data"]
            for delivery in event["deliveries"]
        ]
        if states and set(states) == {"DELIVERED"} and Receiver.arrived.empty():
            if len(arrived) != len(states) + 1:
                raise SystemExit(f"{len(states)} deliveries arrived {len(arrived)} times")
            return arrived
    raise SystemExit(f"not every event arrived at {addresses}")


def judge(program, folder):
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    server = Server(program, folder)
    try:
        shop = Shop(server, 0, "Loja Exemplo")
        return judge_webhooks(shop, f"http://127.0.0.1:{receiver.server_port}")
    finally:
        server.stop()


def subscribe(shop, url):
    wanted = {"url": url, "events": ["*"]}
    return shop.call("POST", "/api/webhooks/subscriptions", wanted)["data"]


def judge_webhooks(shop, hooks):
    plain = subscribe(shop, f"{hooks}/plain")
    rotated, retired = (subscribe(shop, f"{hooks}/{name}") for name in ("rotated", "retired"))
    rotate = "/api/webhooks/subscriptions/{}/rotate-secret"
    fresh = shop.call("POST", rotate.format(rotated["id"]), {"gracePeriodSeconds": 3_600})["data"]
    only = shop.call("POST", rotate.format(retired["id"]), {"gracePeriodSeconds": 0})["data"]
    secrets = {
        "/plain": ([plain["secret"]], [rotated["secret"]]),
        "/rotated": ([fresh["secret"], rotated["secret"]], [plain["secret"]]),
        "/retired": ([only["secret"]], [retired["secret"]]),
    }
    for event in shop.call("GET", "/api/webhooks/event-types")["data"]:
        path = f"/api/webhooks/subscriptions/{plain['id']}/test"
        shop.call("POST", path, {"event": event["name"]})
    for cents in (1, 4_990, 1_000_000_000):
        charge = shop.charge(cents, metadata=METADATA)
        path = f"/api/v1/transactions/{charge['id']}/simulate"
        shop.call("POST", path, {"outcome": "PAID"})
    arrived = deliveries(shop, sorted(secrets))
    found = [
        f"{path} {json.loads(body)['event']}: {fault}"
        for path, headers, body in arrived
        for fault in faults((path, headers, body), secrets[path])
    ]
    for line in found[:10]:
        print(line, file=sys.stderr)
    per_address = ", ".join(
        f"{sum(1 for path, _, _ in arrived if path == address)} at {address}" for address in secrets
    )
    print(f"webhooks: {len(arrived)} deliveries ({per_address}), {len(found)} faults", flush=True)
    return not found and all(any(path == a for path, _, _ in arrived) for a in secrets)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as own_folder:
        sys.exit(0 if judge(sys.argv[1], own_folder) else 1)
