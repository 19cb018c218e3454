"""The product as its users have it: a server on a database of its own, and merchants with keys."""

import json
import subprocess
import threading
import urllib.error
import urllib.request
from datetime import datetime, timezone

PATIENCE_SECONDS = 60
PASSWORD = "a password for judges"
CARD = {"number": "4242" * 4, "cvv": "123", "expMonth": 12, "holderName": "ANA"}
CARD["expYear"] = datetime.now(timezone.utc).year + 3


def proof(bearer):
    """What a caller sends of himself; judges deal in development data alone."""
    return {"Authorization": f"Bearer {bearer}", "X-Dev-Mode": "true"}


class Remote:
    """A running server, by its address."""

    def __init__(self, base):
        self.base = base

    def ask(self, method, path, body=None, bearer=None, once=None):
        """Answers the status and the body, whatever they are; `once` is an idempotency key."""
        headers = {"content-type": "application/json"}
        if once:
            headers["idempotency-key"] = once
        if bearer:
            headers.update(proof(bearer))
        data = None if body is None else json.dumps(body).encode()
        status, answer = self.fetch(method, path, data, headers)
        return status, answer.decode()

    def fetch(self, method, path, data, headers):
        """Answers the status and the bytes of the body."""
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def call(self, method, path, body=None, bearer=None, once=None):
        status, text = self.ask(method, path, body, bearer, once)
        if status >= 300:
            raise SystemExit(f"{method} {path}: {status} {text}")
        return json.loads(text)

    def register(self, email, name="Loja"):
        account = {"name": name, "email": email, "password": PASSWORD}
        self.call("POST", "/api/auth/register", account)

    def sign_in(self, email):
        return self.call("POST", "/api/auth/login", {"email": email, "password": PASSWORD})


class Server(Remote):
    """The program under judgement, on a database of its own."""

    def __init__(self, program, folder, administrator=None, settings=None):
        environment = {
            "TOSTAO_DATABASE_URL": f"sqlite:{folder}/tostao.db",
            "TOSTAO_LISTEN": "127.0.0.1:0",
            "TOSTAO_LOG_FORMAT": "json",
            "TOSTAO_RATE_LIMITS": "off",
            "TOSTAO_ALLOW_LOCAL_WEBHOOKS": "true",
            **(settings or {}),
        }
        if administrator:
            # Beside a server that serves, the database would be taken.
            make = ["admin", "create", "--email", administrator, "--password", PASSWORD]
            subprocess.run([program, *make], env=environment, check=True)
        self.process = subprocess.Popen(
            [program, "serve"], env=environment, stderr=subprocess.PIPE, text=True
        )
        super().__init__(f"http://{self.address()}")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def address(self):
        for line in self.process.stderr:
            told = json.loads(line) if line.startswith("{") else {}
            if told.get("message") == "serving":
                return told["address"]
        raise SystemExit("the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


class Shop:
    """A merchant with a development key."""

    def __init__(self, server, number, name):
        email = f"loja{number}@example.com"
        server.register(email, name)
        token = server.sign_in(email)["accessToken"]
        wanted = {
            "name": "judge",
            "environment": "development",
            "permissions": [
                "customers:read",
                "customers:write",
                "paymentLinks:write",
                "transactions:read",
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

    def ask(self, method, path, body=None):
        return self.server.ask(method, path, body, self.key)

    def charge(self, cents, method="PIX", document="529.982.247-25", **more):
        wanted = {
            "amountCents": cents,
            "method": method,
            "customer": {"name": "Ana", "email": "ana@example.com", "document": document},
            **more,
        }
        return self.call("POST", "/api/v1/transactions", wanted)["transaction"]
