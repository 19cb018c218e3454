"""Creates a payment link for R$ 49,90 and prints its URL."""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SERVER = os.environ.get("TOSTAO_SERVER", "http://127.0.0.1:8080")
API_KEY = os.environ.get("TOSTAO_API_KEY", "")


def create_link():
    headers = {"API-Key": API_KEY, "Content-Type": "application/json"}
    body = json.dumps({"title": "Café em grãos, 250 g", "amountCents": 4990}).encode()
    request = Request(f"{SERVER}/api/v1/payment-links", body, headers)
    with urlopen(request, timeout=20) as response:
        return json.load(response)["data"]


def explain(error):
    try:
        answer = json.load(error)
        return f"{answer['code']}: {answer['message']} (request {answer['requestId']})"
    except (ValueError, KeyError):
        # A proxy in front of the server may answer something other than JSON.
        return f"status {error.code}"


try:
    print(create_link()["url"])
except HTTPError as error:
    sys.exit(explain(error))
except OSError as error:
    sys.exit(str(error))
