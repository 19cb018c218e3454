"""Receives webhooks at http://127.0.0.1:PORT/webhooks, verifies and handles each event once."""

import base64
import hmac
import json
import os
import time
from collections import deque
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ.get("TOSTAO_WEBHOOK_SECRET", "").removeprefix("whsec_"))
BODY_BYTES_MAX = 1024 * 1024
# A real program inserts the id into its database, in the same transaction as the event's effect.
handled_ids = deque(maxlen=10_000)


def find_fault(headers, body):
    event_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - float(sent)) > 60:
        return "webhook-timestamp is missing or not within 60 s of this clock"
    digest = hmac.digest(KEY, f"{event_id}.{sent}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").split(" ")
    is_signed = any(hmac.compare_digest(one.encode(), expected) for one in signatures)
    return None if is_signed else "no signature matches this body and secret"


def handle(event):
    if event["id"] not in handled_ids:
        print("verified", event["event"], event["id"], flush=True)
        handled_ids.append(event["id"])


class Receiver(BaseHTTPRequestHandler):
    def answer(self):
        length = self.headers.get("Content-Length", "0")
        if self.path.split("?")[0] != "/webhooks":
            return self.send_error(404)
        if self.command != "POST":
            return self.send_error(405)
        if not length.isdecimal() or float(length) > BODY_BYTES_MAX:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        if fault := find_fault(self.headers, body):
            return self.send_error(400, fault)
        try:
            handle(json.loads(body))
        except Exception as error:
            return self.send_error(500, str(error))
        self.send_response(204)
        self.end_headers()
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer
    timeout = 10


if len(KEY) < 24:
    raise SystemExit("Set TOSTAO_WEBHOOK_SECRET to the webhook's secret, whsec_…")
with suppress(KeyboardInterrupt):
    HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
