"""Signs in with the codes of an authenticator app that shares no code with the server.

Argument: the program. The secret and its address are read by the `pyotp` package, the picture of the
address by zxing.
"""

import base64
import io
import sys
import tempfile
import time

import pyotp
import zxingcpp
from PIL import Image
from product import PASSWORD, PATIENCE_SECONDS, Server

EMAIL = "loja@example.com"
STEP_SECONDS = 30


def read_qr(png):
    found = zxingcpp.read_barcodes(Image.open(io.BytesIO(base64.b64decode(png))))
    return [code.text for code in found]


def enroll(server, bearer):
    """Adds the secret to an app; answers the app and what is wrong with its address."""
    added = server.call("POST", "/api/two-factor", {"password": PASSWORD}, bearer)["data"]
    address, faults = added["otpauthUrl"], []
    if read_qr(added["qrCodeBase64"]) != [address]:
        faults.append(f"the picture of {address} reads {read_qr(added['qrCodeBase64'])}")
    app = pyotp.parse_uri(address)
    known = (app.secret, app.issuer, app.name, app.digits, app.interval)
    expected = (added["secret"], "Tostão", EMAIL, 6, STEP_SECONDS)
    if known != expected:
        faults.append(f"{address} is read as {known}, not as {expected}")
    return app, faults


def sign_in(server, code=None):
    """Answers the status of a sign-in, and the code of its refusal."""
    login = {"email": EMAIL, "password": PASSWORD, "code": code}
    status, text = server.ask("POST", "/api/auth/login", login)
    for refusal in ("TWO_FACTOR_REQUIRED", "TWO_FACTOR_CODE_INVALID"):
        if refusal in text:
            return status, refusal
    return status, None


def judge(program, folder):
    server = Server(program, folder)
    try:
        server.register(EMAIL)
        bearer = server.sign_in(EMAIL)["accessToken"]
        app, found = enroll(server, bearer)
        # Both codes are good, whichever of them the server's step is meanwhile.
        now = time.time()
        first, second = app.at(now), app.at(now + STEP_SECONDS)
        confirmed = server.call("POST", "/api/two-factor/confirm", {"code": first}, bearer)
        backup = confirmed["data"]["backupCodes"][0]
        invalid = (401, "TWO_FACTOR_CODE_INVALID")
        tried = [
            ("no code", None, (401, "TWO_FACTOR_REQUIRED")),
            ("a code that was used", first, invalid),
            ("the next code", second, (200, None)),
            ("the next code again", second, invalid),
            ("an old code", app.at(now - PATIENCE_SECONDS), invalid),
            ("a code of the future", app.at(now + 10 * PATIENCE_SECONDS), invalid),
            ("a backup code", backup, (200, None)),
            ("a backup code again", backup, invalid),
        ]
        for what, code, expected in tried:
            answered = sign_in(server, code)
            if answered != expected:
                found.append(f"{what} is answered {answered}, not {expected}")
    finally:
        server.stop()
    for line in found:
        print(line, file=sys.stderr)
    print(f"second step: {len(tried)} sign-ins, {len(found)} faults", flush=True)
    return not found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as own_folder:
        sys.exit(0 if judge(sys.argv[1], own_folder) else 1)
