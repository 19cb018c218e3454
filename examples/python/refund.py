"""Refunds a transaction in full, then repeats the request: it is the same refund."""

import json
import os
import sys
import uuid
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

SERVER = os.environ.get("TOSTAO_SERVER", "http://127.0.0.1:8080")
API_KEY = os.environ.get("TOSTAO_API_KEY", "")


def refund(transaction_id, idempotency_key):
    url = f"{SERVER}/api/v1/transactions/{quote(transaction_id, safe='')}/refund"
    headers = {
        "API-Key": API_KEY,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key,
    }
    body = json.dumps({"reason": "Returned by the customer"}).encode()
    with urlopen(Request(url, body, headers), timeout=20) as response:
        replayed = response.headers.get("Idempotency-Replayed") == "true"
        return json.load(response)["refund"], replayed


def explain(error):
    try:
        answer = json.load(error)
        return f"{answer['code']}: {answer['message']} (request {answer['requestId']})"
    except (ValueError, KeyError):
        # A proxy in front of the server may answer something other than JSON.
        return f"status {error.code}"


def refund_and_repeat(transaction_id):
    # A real program stores the key before it sends the request, to have it after a crash.
    idempotency_key = str(uuid.uuid4())
    first, _ = refund(transaction_id, idempotency_key)
    print("refund", first["id"], first["status"])
    second, replayed = refund(transaction_id, idempotency_key)
    if second["id"] != first["id"] or not replayed:
        sys.exit("That was a second refund.")
    print("replay", second["id"], second["status"])


if len(sys.argv) != 2:
    sys.exit("usage: python3 refund.py TRANSACTION_ID")
try:
    refund_and_repeat(sys.argv[1])
except HTTPError as error:
    sys.exit(explain(error))
except OSError as error:
    sys.exit(str(error))
