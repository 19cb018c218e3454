"""Programs that we did not write judge our connectors and the fake that they are tested with.

Arguments: JSON with the paths of the programs, and `--mutate` to see the checks fail instead. It
closes with `N passed, M failed`, and a judge that does not run is a failure.
"""

import json
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from judgements import idempotency_keys, prism_objections, twins
from programs import Fake, Prism, Tally, door, free_port, lines_of
from rewriter import Rewriter
from wrong_turns import WRONG_ANSWERS, WRONG_TURNS

HERE = Path(__file__).parent
PATHS = [
    "/cob/{txid}",
    "/cob",
    "/pix",
    "/pix/{e2eid}",
    "/pix/{e2eid}/devolucao/{id}",
    "/webhook/{chave}",
    "/webhook",
]
ATTACKS = ["--phases", "examples,fuzzing", "-n", "40", "--seed", "7", "--mode", "positive"]
CHECKS = "not_a_server_error,response_schema_conformance,content_type_conformance"
CANARY = "Prism: objects to a bad request"
# Prism objects to it: the amount is a number.
BAD_CHARGE = {
    "calendario": {"expiracao": 60},
    "valor": {"original": 10},
    "chave": "pix@example.com",
}


class Judges:
    """The programs, started once for all runs."""

    def __init__(self, given, scratch):
        self.given = given
        self.scratch = scratch
        self.prism = None
        self.port = free_port()
        if given["bacen"]:
            core = f"http://127.0.0.1:{self.port}/v2"
            self.prism = Prism(given["folder"], given["bacen"], core)
        self.fake = self.start("fake", self.port, self.prism and self.prism.address)
        self.modules = {"NODE_PATH": f"{given['folder']}/node_modules"}

    def start(self, name, port, through=None):
        return Fake(self.given["fakepsp"], f"{self.scratch}/{name}", port, through)

    def stop(self):
        self.fake.stop()
        if self.prism:
            self.prism.stop()

    def sdks(self, place):
        """The providers' own SDKs, and other clients, call the fake.

        Returns the results by client, and the fake's log.
        """
        place, folder = json.dumps(place), self.fake.place["folder"]
        trusted = {"NODE_EXTRA_CA_CERTS": f"{folder}/ca.pem", **self.modules}
        bundle = {"REQUESTS_CA_BUNDLE": f"{folder}/ca.pem"}
        python = [sys.executable, "-B"]
        with door() as address:
            efi = ["node", str(HERE / "efi.cjs"), place, client_p12(folder), address]
            clients = {
                "Efí's SDK": (efi, trusted),
                "Pagar.me's SDK": (["node", str(HERE / "pagarme.cjs"), place], trusted),
                "efipay": ([*python, str(HERE / "efi.py"), place], bundle),
                "bancointer": ([*python, str(HERE / "inter.py"), place], {}),
            }
            tallies = {title: lines_of(title, *client) for title, client in clients.items()}
        log = self.fake.log()
        self.fake.forget()
        return tallies, log

    def attack(self):
        """Schemathesis sends what the central bank's document allows."""
        tally = Tally()
        for path in PATHS:
            command = [self.given["schemathesis"], "run", self.given["bacen"]]
            command += ["--url", f"{self.fake.place['plain']}/v2", "-H", "Authorization: Bearer x"]
            command += ["--include-path", path, "--exclude-method", "PATCH", *ATTACKS]
            command += ["-c", CHECKS, "--suppress-health-check", "all"]
            done = subprocess.run(command, cwd=self.scratch, capture_output=True, text=True)
            faults = [done.stdout[-3_000:]] if done.returncode else []
            if not self.fake.log():
                faults.append("no request was sent")
            self.fake.forget()
            tally.check(f"Schemathesis: {path}", faults)
        return tally

    def connector(self, fake, place, sdk_log):
        """Our connector calls every operation, and its log is judged."""
        tally = lines_of("our connector", [self.given["exercise"], json.dumps(place)])
        log = fake.log()
        if self.given["bacen"]:
            prism_objections(log, tally)
            tally.check(CANARY, canary(fake))
        path = Path(self.scratch) / "log.json"
        path.write_text(json.dumps(log))
        schemas = ["node", str(HERE / "schemas.cjs"), str(path)]
        tally.add(lines_of("Efí's schemas", schemas, self.modules))
        idempotency_keys(log, tally)
        twins(sdk_log, log, tally)
        fake.forget()
        return tally


def client_p12(folder):
    """The client's certificate in the form that banks give out, which has no password."""
    pem = Path(folder, "client-good.both.pem").read_bytes()
    key = serialization.load_pem_private_key(pem, None)
    certificate = x509.load_pem_x509_certificate(pem)
    path = Path(folder, "client.p12")
    none = serialization.NoEncryption()
    path.write_bytes(pkcs12.serialize_key_and_certificates(b"c", key, certificate, None, none))
    return str(path)


def canary(fake):
    """Prism is on the way only if it objects; returns why it seems not to be."""
    folder = fake.place["folder"]
    context = ssl.create_default_context(cafile=f"{folder}/ca.pem")
    context.load_cert_chain(f"{folder}/client-good.both.pem")

    def call(method, path, body, headers):
        headers = {"content-type": "application/json", **headers}
        address = fake.place["tls_client"] + path
        request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request, context=context) as answer:
                return json.load(answer)
        except urllib.error.HTTPError:
            return {}

    grant = {"grant_type": "client_credentials"}
    token = call("POST", "/oauth/token", grant, {"authorization": "Basic aWQ6c2VjcmV0"})
    bearer = {"authorization": f"Bearer {token['access_token']}"}
    before = len(fake.log())
    call("PUT", "/v2/cob/0192f0c4a5b67c8d9e0f999999999999", BAD_CHARGE, bearer)
    [entry] = fake.log()[before:]
    where = [violation["location"][0] for violation in entry["violations"]]
    return [] if "request" in where else [f"it says {entry['violations']}"]


def say(title, tally):
    print(f"{title}: {len(tally.passed)} passed, {len(tally.failed)} failed", flush=True)
    for name, why in tally.failed.items():
        print(f"  {name}: {why}", flush=True)


def judge(judges):
    tallies, sdk_log = judges.sdks(judges.fake.place)
    if judges.given["bacen"]:
        tallies["Schemathesis"] = judges.attack()
    tallies["our connector"] = judges.connector(judges.fake, judges.fake.place, sdk_log)
    whole = Tally()
    for title, tally in tallies.items():
        say(title, tally)
        whole.add(tally)
    if not judges.given["bacen"]:
        print(
            "skipped: Prism and Schemathesis need the central bank's OpenAPI document, by "
            "--bacen FILE or TOSTAO_BACEN_OPENAPI"
        )
    return whole


def mutate(judges):
    """Each wrong turn turns its check red, and none is red without one."""
    rewriter = Rewriter(judges.fake.place)
    sdks, sdk_log = judges.sdks(rewriter.place)
    control = judges.connector(judges.fake, rewriter.place, sdk_log)
    for tally in sdks.values():
        control.add(tally)
    say("without a wrong turn", control)
    whole = Tally()
    whole.check("without a wrong turn", control.failed)

    def expect(name, noticed_by, tally):
        red = [check for check in tally.failed if check.startswith(noticed_by)]
        if red:
            print(f"noticed: {name} → {red[0]} ({len(tally.failed)} red)", flush=True)
        else:
            print(f"NOT NOTICED: {name}; red are {list(tally.failed)}", flush=True)
        whole.check(name, [] if red else ["no check noticed it"])

    for name, noticed_by, turn in WRONG_TURNS:
        rewriter.turn = turn
        expect(name, noticed_by, judges.connector(judges.fake, rewriter.place, sdk_log))
    for name, noticed_by, turn in WRONG_ANSWERS:
        rewriter.turn = turn
        tally = Tally()
        for of_client in judges.sdks(rewriter.place)[0].values():
            tally.add(of_client)
        expect(name, noticed_by, tally)
    bypassed = judges.start("bypassed", free_port())
    tally = judges.connector(bypassed, bypassed.place, sdk_log)
    bypassed.stop()
    expect("Prism is bypassed", CANARY, tally)
    return whole


def main():
    given = json.loads(sys.argv[1])
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        judges = Judges(given, scratch)
        try:
            whole = mutate(judges) if "--mutate" in sys.argv else judge(judges)
        finally:
            judges.stop()
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{len(whole.passed)} passed, {len(whole.failed)} failed")
    sys.exit(1 if whole.failed else 0)


main()
