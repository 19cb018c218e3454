"""Creates one PIX charge of R$ 49,90, however often its request has to be sent."""

import json
import os
import sys
import time
import uuid
from http.client import HTTPException
from random import random
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ.get("TOSTAO_SERVER", "http://127.0.0.1:8080") + "/api/v1/transactions"
ATTEMPTS, TIMEOUT_SECONDS = 5, 5
# Every other 409 is final: the same request gets it again.
RETRIED_CONFLICTS = ("IDEMPOTENCY_KEY_IN_PROGRESS", "CONCURRENT_UPDATE")


def send(request):
    status = 0
    try:
        try:
            response = urlopen(request, timeout=TIMEOUT_SECONDS)
        except HTTPError as error:
            response = error  # It can be read like any other answer.
        wait, text = response.headers.get("Retry-After", "0"), response.read()
        status = response.status
        return status, int(wait), json.loads(text)
    except (OSError, HTTPException, ValueError) as error:
        return status, 0, {"code": f"no answer ({status})", "message": str(error)}


def is_transient(status, code):
    if status == 409:
        return code in RETRIED_CONFLICTS
    return status in (0, 429) or status >= 500


def charge(request):
    for attempt in range(1, ATTEMPTS + 1):
        status, wait, answer = send(request)
        if status == 201:
            return answer["transaction"]
        problem = f"{answer.get('code')}: {answer.get('message')}"
        problem += f" (request {answer.get('requestId', 'unknown')})"
        if attempt == ATTEMPTS or not is_transient(status, answer.get("code")):
            sys.exit(problem)
        # The random part keeps many clients from coming back at the same moment.
        seconds = max(wait, 2 ** (attempt - 1)) + random()
        print(f"attempt {attempt}: {problem}; the next in {seconds:.1f} s", file=sys.stderr)
        time.sleep(seconds)


# A real program stores key and body before it sends them, to have them after a crash.
HEADERS = {"API-Key": os.environ.get("TOSTAO_API_KEY", ""), "Content-Type": "application/json"}
HEADERS["Idempotency-Key"] = str(uuid.uuid4())
CUSTOMER = {"name": "Fulano de Tal", "email": "fulano@example.com"}
BODY = json.dumps({"method": "PIX", "amountCents": 4990, "customer": CUSTOMER}).encode()
TRANSACTION = charge(Request(URL, BODY, HEADERS))
print(f"transaction {TRANSACTION['id']}\npix {TRANSACTION['pix']['brCode']}")
