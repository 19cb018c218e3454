"""Holds every answer of a real server against the description that the server gives of itself.

Arguments: the program, a seed that makes the same requests again, and whatever else Schemathesis
is to be told. It makes the requests from `/openapi.json`, some of them well formed and some not.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from product import CARD, Server

HERE = Path(__file__).resolve().parent
NOBODY_LISTENS = "http://127.0.0.1:9/hook"
# All is tried on the owner. The spare one may lose everything; at the quiet one only buyers call.
OWNER, SPARE, QUIET = "dona@example.com", "reserva@example.com", "calma@example.com"
# How many other merchants wait for decisions.
OTHERS = 8
# Seconds after which the run ends. What is left of it after the requests that each operation gets
# goes to further ones, so that none takes much longer or shorter.
TIME = 600
# The idempotency key of one of the owner's charges.
ONCE = "a-charge-of-the-judges"
BUYER = {"name": "Ana", "email": "ana@example.com", "document": "529.982.247-25"}
WITHDRAWAL = {"amountCents": 1_000, "pixKey": BUYER["email"], "pixKeyType": "email"}


class Merchant:
    """Somebody with an account, signed in, and with a key that may do everything."""

    def __init__(self, server, email, permissions):
        self.server = server
        session = server.sign_in(email)
        self.token, self.account = session["accessToken"], session["user"]["id"]
        wanted = {"name": "judge", "environment": "development", "permissions": permissions}
        made = server.call("POST", "/api/credentials", wanted, self.token)["data"]
        self.key, self.key_id = made["key"], made["id"]

    def make(self, path, body, once=None):
        """Answers what was made, under whatever name."""
        answer = self.server.call("POST", path, body, self.key, once)
        return next(value for value in answer.values() if isinstance(value, dict))

    def sell(self):
        """Opens a shop; answers what is in it."""
        product = self.make("/api/v1/products", {"name": "Caneca", "price": 4_990})
        items = [{"productId": product["id"], "quantity": 1}]
        coupon = {"code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10}
        self.make("/api/v1/coupons", coupon)
        return self.make("/api/v1/payment-links", {"title": "Canecas", "products": items})


def fill(owner):
    """Makes some of each kind of thing that is hard to come by."""
    owner.sell()
    owner.make("/api/clients", BUYER)
    subscription = {"url": NOBODY_LISTENS, "events": ["*"]}
    owner.make("/api/v1/webhooks/subscriptions", subscription)
    owner.make("/api/dev/listeners", {"name": "judge"})
    pix = {"method": "PIX", "amountCents": 700, "customer": BUYER}
    owner.make("/api/v1/transactions", pix, ONCE)
    for method in ("PIX", "BOLETO"):
        for outcome in ("PAID", "EXPIRED", None):
            charge = {"method": method, "amountCents": 500_000, "customer": BUYER}
            path = f"/api/v1/transactions/{owner.make('/api/v1/transactions', charge)['id']}"
            if outcome:
                owner.make(f"{path}/simulate", {"outcome": outcome})
    for _ in range(3):
        owner.make("/api/withdraws", WITHDRAWAL)


def requests_of(server, number, permissions):
    """An advance and a withdrawal that the judge may decide on: nobody decides on their own."""
    email = f"outra{number}@example.com"
    server.register(email)
    merchant = Merchant(server, email, permissions)
    token = server.call("POST", "/sandbox/card-tokens", CARD)["cardToken"]
    charge = {"amountCents": 100_000, "customer": BUYER}
    card = {**charge, "method": "CREDIT_CARD", "cardToken": token}
    merchant.make("/api/v1/transactions", card)
    pix = merchant.make("/api/v1/transactions", {**charge, "method": "PIX"})
    merchant.make(f"/api/v1/transactions/{pix['id']}/simulate", {"outcome": "PAID"})
    return {
        "advance": merchant.make("/api/advances", {"amountCents": 1_000})["id"],
        "withdrawal": merchant.make("/api/withdraws", WITHDRAWAL)["id"],
    }


def public(quiet):
    """What a buyer knows, by the names in the description."""
    link = quiet.sell()
    path = f"/api/payment-links/public/slug/{link['slug']}/checkout"
    bought = quiet.server.call("POST", path, {"method": "PIX", "customer": BUYER})
    return {
        "slug": [link["slug"]],
        "couponCode": ["DEZ"],
        "/api/coupons/validate code": ["DEZ"],
        "/api/transactions/public/{id} id": [bought["transaction"]["id"]],
        "/api/transactions/public/{id} token": [bought["statusToken"]],
    }


def judge(program, seed, more, folder):
    server = Server(program, folder, OWNER)
    try:
        description = json.loads(server.ask("GET", "/openapi.json")[1])
        permissions = description["components"]["schemas"]["Permission"]["enum"]
        for email in (SPARE, QUIET):
            server.register(email)
        owner, spare = (Merchant(server, email, permissions) for email in (OWNER, SPARE))
        fill(owner)
        waiting = [requests_of(server, number, permissions) for number in range(OTHERS)]
        shop = {
            "base": server.base,
            "token": owner.token,
            "key": owner.key,
            "keyId": owner.key_id,
            # Of the person who opened an account, its ID is theirs.
            "owner": owner.account,
            "once": ONCE,
            "spare": SPARE,
            "spareId": spare.account,
            "receiver": NOBODY_LISTENS,
            "public": public(Merchant(server, QUIET, permissions)),
            "waiting": waiting,
        }
        config = str(HERE / "schemathesis.toml")
        words = [sys.executable, "-m", "schemathesis.cli", "--config-file", config]
        words += ["run", f"{server.base}/openapi.json", "--seed", seed]
        words += ["--max-time", str(TIME), *more]
        environment = {
            **os.environ,
            "JUDGED_SHOP": json.dumps(shop),
            "SCHEMATHESIS_HOOKS": "schema_hooks",
            "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        # It keeps what it learnt where it is started; the next run shall begin afresh.
        return subprocess.run(words, cwd=folder, env=environment, check=False).returncode
    finally:
        server.stop()


if __name__ == "__main__":
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as own_folder:
        verdict = judge(sys.argv[1], sys.argv[2], sys.argv[3:], own_folder)
    print(f"schema: seed {sys.argv[2]}, {time.monotonic() - began:.0f} s", flush=True)
    sys.exit(verdict)
