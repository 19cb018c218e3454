"""Receives webhooks from a real server and checks every one as a merchant in Python would.

Arguments: the program, and a file to write the issued BR Codes to. The signatures are checked by
the `standardwebhooks` package and by plain `hmac`; no code is shared with the server.
"""

import base64
import hashlib
import hmac
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PATIENCE_SECONDS = 60
PASSWORD = "a password for judges"
CODES_A_SHOP = 20
SHOPS = [
    "Loja Exemplo",
    "Café São João",
    "AÇÚCAR & AFETO LTDA",
    "Uma loja cujo nome é bem mais longo do que cabe",
    "O'Brien Importações",
    "Ninho do Tuiuiú",
    "Pão/Vinho 24h",
    "  Espaços  demais  ",
    "Brechó 🏖 da Praia",
    "Zé",
]


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


class Server:
    """The program under judgement, on a database of its own."""

    def __init__(self, program, folder):
        environment = {
            "TOSTAO_DATABASE_URL": f"sqlite:{folder}/tostao.db",
            "TOSTAO_LISTEN": "127.0.0.1:0",
            "TOSTAO_LOG_FORMAT": "json",
            "TOSTAO_RATE_LIMITS": "off",
            "TOSTAO_ALLOW_LOCAL_WEBHOOKS": "true",
        }
        self.process = subprocess.Popen(
            [program, "serve"], env=environment, stderr=subprocess.PIPE, text=True
        )
        self.base = f"http://{self.address()}"
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def address(self):
        for line in self.process.stderr:
            told = json.loads(line) if line.startswith("{") else {}
            if told.get("message") == "serving":
                return told["address"]
        raise SystemExit("the server did not start")

    def call(self, method, path, body=None, bearer=None):
        headers = {"content-type": "application/json"}
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from error


class Shop:
    """A merchant with a development key."""

    def __init__(self, server, number, name):
        email = f"loja{number}@example.com"
        account = {"name": name, "email": email, "password": PASSWORD}
        server.call("POST", "/api/auth/register", account)
        login = {"email": email, "password": PASSWORD}
        token = server.call("POST", "/api/auth/login", login)["accessToken"]
        wanted = {
            "name": "judge",
            "environment": "development",
            "permissions": [
                "paymentLinks:write",
                "transactions:write",
                "webhooks:read",
                "webhooks:write",
            ],
        }
        self.name = name
        self.server = server
        self.key = server.call("POST", "/api/credentials", wanted, token)["data"]["key"]

    def call(self, method, path, body=None):
        return self.server.call(method, path, body, self.key)

    def charge(self, cents):
        wanted = {
            "amountCents": cents,
            "method": "PIX",
            "customer": {"name": "Ana", "email": "ana@example.com", "document": "529.982.247-25"},
            "metadata": {"emoji": "🏖", "quote": "\"'\\"},
        }
        return self.call("POST", "/api/v1/transactions", wanted)["transaction"]

    def subscribe(self, url):
        wanted = {"url": url, "events": ["*"]}
        return self.call("POST", "/api/webhooks/subscriptions", wanted)["data"]


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


def judge(program, codes_file, folder):
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hooks = f"http://127.0.0.1:{receiver.server_port}"
    server = Server(program, folder)
    try:
        shops = [Shop(server, number, name) for number, name in enumerate(SHOPS)]
        orders = [
            {
                "brCode": charge["pix"]["brCode"],
                "txid": charge["pix"]["txid"],
                "merchantName": shop.name,
            }
            for shop in shops
            for charge in (shop.charge(1 + 4_999 * index) for index in range(CODES_A_SHOP))
        ]
        with open(codes_file, "w", encoding="utf-8") as file:
            json.dump(orders, file)
        return judge_webhooks(shops[0], hooks)
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE_SECONDS)


def judge_webhooks(shop, hooks):
    plain = shop.subscribe(f"{hooks}/plain")
    rotated, retired = (shop.subscribe(f"{hooks}/{name}") for name in ("rotated", "retired"))
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
        charge = shop.charge(cents)
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
        sys.exit(0 if judge(sys.argv[1], sys.argv[2], own_folder) else 1)
