"""What Schemathesis cannot know: who may ask, what exists, and which refusals are right.

Schemathesis loads it. The description alone says which operations there are: all are judged.
"""

import json
import os
import re
import sys
import threading
import traceback
import uuid
import zlib
from collections.abc import MutableMapping
from datetime import datetime, timedelta, timezone

import schemathesis
from product import CARD, PASSWORD, Remote, proof
from schema_existing import Existing
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import JsonSchemaError, RejectedPositiveData

SHOP = json.loads(os.environ["JUDGED_SHOP"])
REMOTE = Remote(SHOP["base"])
# What ends a session, the data or the present happens to another merchant, signed in for it.
ENDINGS = {
    "/api/auth/logout",
    "/api/auth/sessions",
    "/api/auth/sessions/{id}",
    "/api/dev/clock/advance",
    "/api/dev/reset",
}
# An administrator decides on what other merchants wait for.
DECISIONS = [
    ("/api/advances/{id}/approve", "advance"),
    ("/api/advances/{id}/reject", "advance"),
    ("/api/withdraws/{id}/process", "withdrawal"),
]
# Closes the account that asks, or takes its password, so each request comes from an account of
# its own.
CLOSINGS = {"/api/auth/account/close", "/api/auth/password"}
# Faults that a description rules out; to find any other takes more than a look at the request.
DESCRIBABLE = {
    "INVALID_JSON",
    "INVALID_LENGTH",
    "INVALID_TYPE",
    "INVALID_UUID",
    "INVALID_VALUE",
    "OUT_OF_RANGE",
    "REQUIRED",
    "UNSUPPORTED_MEDIA_TYPE",
}
# What only the rest of the request, the thing itself or the day of today tells.
TOLD_ELSEWHERE = {
    # One of several fields is wanted.
    ("amountCents", "REQUIRED"),
    ("body", "REQUIRED"),
    ("clientEmail", "REQUIRED"),
    ("customer", "REQUIRED"),
    ("password", "REQUIRED"),
    ("seconds", "REQUIRED"),
    # One outcome of the decision wants it, and the others do not.
    ("transactionId", "REQUIRED"),
    ("transactionId", "INVALID_VALUE"),
    # Not beside a password.
    ("code", "INVALID_VALUE"),
    # A method of payment wants it, or a link does.
    ("cardToken", "REQUIRED"),
    ("customer.address", "REQUIRED"),
    ("customer.document", "REQUIRED"),
    ("customer.phone", "REQUIRED"),
    ("installments", "OUT_OF_RANGE"),
    # Only what is counted has it.
    ("stockQuantity", "REQUIRED"),
    # Only a boleto that was paid by its barcode needs it.
    ("refundPixKey", "REQUIRED"),
    # Required and accepted with `paid` only; no other order has it, and its digits are a date and
    # a time.
    ("endToEndId", "REQUIRED"),
    ("endToEndId", "INVALID_VALUE"),
    # Accepted with `not_paid` only.
    ("failureReason", "INVALID_VALUE"),
    # Percents have another range than cents, and no description counts decimal places.
    ("commissionValue", "OUT_OF_RANGE"),
    ("discountValue", "OUT_OF_RANGE"),
    ("settings.interestRate", "OUT_OF_RANGE"),
    # No more of them than installments at all.
    ("settings.interestFreeInstallments", "OUT_OF_RANGE"),
    # Not in the future.
    ("since", "INVALID_VALUE"),
    ("until", "INVALID_VALUE"),
    # A person who has no password yet needs a name.
    ("name", "REQUIRED"),
    # A list says which there are.
    ("profile", "INVALID_VALUE"),
    # A period ends after it begins, and not too long after.
    ("from", "OUT_OF_RANGE"),
    # What is too far off changes from day to day.
    ("expYear", "OUT_OF_RANGE"),
    ("seconds", "OUT_OF_RANGE"),
}
# Where a subscription is a webhook.
WEBHOOK_ROUTES = ["events", "events/{id}/redeliver", "verify"]
# Parts of the request log with the same filters.
REQUEST_LISTS = ["", "/errors", "/stream"]
# Of these the contract takes one.
ALTERNATIVES = [
    ("amountCents", "paymentLinkId", "items"),
    ("body", "bodyBase64"),
    ("customer", "customerId"),
    ("seconds", "to"),
]
# A subscriber asks with it; the merchant's key does the same.
SUBSCRIBERS = ("X-Manage-Token", "manageToken")
# One value in so many stays as it was made up; the others make way for one that exists.
MADE_UP = 8
FLOAT_MAX = sys.float_info.max
NOTHING = "00000000-0000-7000-8000-000000000000"
IN_A_MONTH = (datetime.now(timezone.utc) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
AN_HOUR_AGO = (datetime.now(timezone.utc) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
# What the judge asks with, and the person it is: without them nothing else is judged.
SPARED = {SHOP["keyId"], SHOP["owner"]}
PIX_KEYS = ["ana@example.com", "52998224725", "+5511912345678"]


def end_with(error):
    """Schemathesis ends a phase without a word where a hook fails in its thread."""
    sys.__stderr__.write("".join(traceback.format_exception(error.exc_value)))
    sys.__stderr__.flush()
    os._exit(1)


threading.excepthook = end_with


def newcomer():
    email = f"{uuid.uuid4()}@example.com"
    REMOTE.register(email)
    return REMOTE.sign_in(email)


def card_token():
    return REMOTE.call("POST", "/sandbox/card-tokens", CARD)["cardToken"]


def invite(token):
    """Invites somebody new to the account of a session."""
    wanted = {"email": f"{uuid.uuid4()}@example.com", "role": "SUPPORT"}
    return REMOTE.call("POST", "/api/invitations", wanted, token)["data"]


def invitation():
    """An open invitation to the owner's account."""
    found = EXISTING.ids("/api/invitations")
    return found[0] if found else invite(SHOP["token"])["id"]


def member():
    """Somebody else in the owner's account; open invitations make room for the first one."""
    found = EXISTING.ids("/api/members")
    if found:
        return found[0]
    for one in EXISTING.ids("/api/invitations"):
        REMOTE.ask("DELETE", f"/api/invitations/{one}", bearer=SHOP["token"])
    accepted = {"token": invite(SHOP["token"])["token"], "name": "Bia", "password": PASSWORD}
    REMOTE.call("POST", "/api/invitations/accept", accepted)
    return EXISTING.ids("/api/members")[0]


def webhook():
    """A webhook of the owner's: subscriptions to plans have the same name."""
    return next(iter(EXISTING.ids("/api/v1/webhooks/subscriptions")), NOTHING)


def spare_session():
    """A session of the merchant who ends sessions."""
    token = REMOTE.sign_in(SHOP["spare"])["accessToken"]
    sessions = json.loads(REMOTE.ask("GET", "/api/auth/sessions", bearer=token)[1])["data"]
    return next(session["id"] for session in sessions if session["current"])


EXISTING = Existing(
    REMOTE,
    SHOP["token"],
    {
        **SHOP["public"],
        **{f"{path} id": [one[kind] for one in SHOP["waiting"]] for path, kind in DECISIONS},
        **{f"/sandbox/card-tokens {name}": [value] for name, value in CARD.items()},
        **{f"/api/requests{of} idempotencyKey": [SHOP["once"]] for of in REQUEST_LISTS},
        **{f"/api/requests{of} status": ["200", "4xx", "4xx,500"] for of in REQUEST_LISTS},
        "/api/admin/merchants/{id}/verify id": [SHOP["spareId"]],
        "/api/auth/sessions/{id} id": spare_session,
        "/api/idempotency-keys/{idempotencyKey} idempotencyKey": [SHOP["once"]],
        "/api/invitations/accept token": lambda: invite(newcomer()["accessToken"])["token"],
        "/api/invitations/{id} id": invitation,
        "/api/members/{id} id": member,
        **{f"/api/webhooks/{of} subscriptionId": webhook for of in WEBHOOK_ROUTES},
        "accountId": [SHOP["spareId"]],
        "cardToken": card_token,
        "currentPassword": [PASSWORD],
        "document": ["529.982.247-25", "11.222.333/0001-81"],
        "Idempotency-Key": lambda: str(uuid.uuid4()),
        "keyLast4": [SHOP["key"][-4:]],
        "/api/auth/register email": lambda: f"{uuid.uuid4()}@example.com",
        "event": ["*", "transaction.paid"],
        "email": [SHOP["spare"], "ana@example.com"],
        "discountValue": [5, 10],
        "dueDate": [IN_A_MONTH[:10]],
        "expiresAt": [IN_A_MONTH],
        "imageUrl": ["https://example.com/a.png"],
        "password": [PASSWORD],
        "newPassword": [PASSWORD],
        "phone": ["+55 11 91234-5678"],
        "pixKey": PIX_KEYS,
        "postalCode": ["01310-100"],
        "refundPixKey": PIX_KEYS,
        "redirectUrl": ["https://example.com/"],
        "refreshToken": lambda: REMOTE.sign_in(SHOP["spare"])["refreshToken"],
        "since": [AN_HOUR_AGO],
        "state": ["SP"],
        "url": [SHOP["receiver"]],
        "validUntil": [IN_A_MONTH],
    },
    SPARED,
)


@schemathesis.auth(refresh_interval=None)
class Proof:
    """A key where a key will do, else the token of the owner, who is an administrator, too."""

    def get(self, case, context):
        schemes = {name for one in context.operation.definition.raw["security"] for name in one}
        if context.operation.path in CLOSINGS:
            return proof(newcomer()["accessToken"])
        if context.operation.path in ENDINGS:
            return proof(REMOTE.sign_in(SHOP["spare"])["accessToken"])
        if "apiKey" in schemes:
            return {"API-Key": SHOP["key"]}
        return proof(SHOP["token"]) if schemes else None

    def set(self, case, data, context):
        case.headers.update(data)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Says the same otherwise: of a text that may be null, Schemathesis overlooks the format."""
    inner = raw_schema.values() if isinstance(raw_schema, dict) else raw_schema
    for schema in inner:
        if isinstance(schema, (dict, list)):
            before_load_schema(context, schema)
    if isinstance(raw_schema, dict) and raw_schema.get("type") == ["string", "null"]:
        if raw_schema.pop("contentEncoding", None) == "base64":
            # It makes up base64 by the format's older name alone.
            raw_schema["format"] = "byte"
        if "format" in raw_schema:
            text = {"type": "string", "format": raw_schema.pop("format")}
            raw_schema["anyOf"] = [text, {"type": raw_schema.pop("type")[1]}]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts what exists in the place of what was made up, wherever that was well formed."""
    places = {
        ParameterLocation.HEADER: case.headers,
        ParameterLocation.QUERY: case.query,
        ParameterLocation.BODY: case.body,
    }
    if case.meta and case.meta.phase.name != "stateful":
        places[ParameterLocation.PATH] = case.path_parameters
    if not SPARED.isdisjoint(map(str, case.path_parameters.values())):
        # It was in an answer, and would end what all others are asked with.
        case.path_parameters = dict.fromkeys(case.path_parameters, NOTHING)
    salt = (case.path_parameters, case.query, case.body)
    for place, values in places.items():
        if case.meta and not case.meta.is_negative_at(place):
            fill(values, case.operation.path, salt)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Lets a well-formed request be refused for what no description can say."""
    if isinstance(failure, JsonSchemaError):
        # OpenAPI 3.1 describes a stream as a text, and Schemathesis holds each event against it.
        return not response.headers["content-type"][0].startswith("text/event-stream")
    if not isinstance(failure, RejectedPositiveData):
        return True
    refusal = response.json()
    errors = refusal.get("errors", [])
    if refusal.get("code") == "INVALID_IDEMPOTENCY_KEY":
        # A withdrawal can say its key in two places; that they agree cannot be described.
        return "idempotencyKey" not in (case.body if isinstance(case.body, dict) else ())
    wrong = [error["code"] for error in errors if not is_told_elsewhere(error, case)]
    return not DESCRIBABLE.isdisjoint([refusal["code"], *wrong])


def is_told_elsewhere(error, case):
    """Dates and sums have ranges, spaces around a text do not count: none of it is described."""
    field, code = error["field"], error["code"]
    if field.startswith("values."):
        # A list says what each profile of connections has.
        return True
    value = sent(field, case)
    is_date_or_sum = isinstance(value, (str, list)) and code == "OUT_OF_RANGE"
    is_blank = isinstance(value, str) and code == "INVALID_LENGTH" and not value.strip()
    return is_date_or_sum or is_blank or (field, code) in TOLD_ELSEWHERE


def sent(field, case):
    """What stands in a field, by a name such as `items[0].quantity`."""
    value = case.body if isinstance(case.body, dict) else case.query
    for name in re.findall(r"\w+", field):
        if isinstance(value, MutableMapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit():
            value = value[int(name)]
    return value


def fill(values, path, salt, name=None):
    """Goes through objects and lists; an entry of `productIds` is a `productId`."""
    if isinstance(values, MutableMapping):
        choose(values, salt)
        named = [(key, value, key) for key, value in values.items()]
    elif isinstance(values, list):
        named = [(key, value, (name or "").removesuffix("s")) for key, value in enumerate(values)]
    else:
        return
    for key, value, name in named:
        if isinstance(value, (dict, list)):
            fill(value, path, salt, name)
        elif isinstance(value, (int, float)) and abs(value) > FLOAT_MAX:
            # Such a number is none to most readers of JSON.
            values[key] = 1
        elif isinstance(value, float) and value.is_integer():
            # JSON Schema takes 1.0 for an integer; the product wants integers written as such.
            values[key] = int(value)
        elif value is not None:
            values[key] = existing(name, path, value, cast(name, salt))


def choose(values, salt):
    """Leaves one of the fields of which the contract takes one, and who asks mostly to the key."""
    for name in SUBSCRIBERS:
        if cast(name, salt) % MADE_UP:
            values.pop(name, None)
    for names in ALTERNATIVES:
        given = [name for name in names if values.get(name) is not None]
        kept = given[cast(names, salt) % len(given)] if given else None
        for name in given:
            if name != kept:
                del values[name]


def existing(name, path, made_up, dice):
    known = EXISTING.named(name, path) if dice % MADE_UP else []
    return known[dice // MADE_UP % len(known)] if known else made_up


def cast(*what):
    """Dice that fall alike for what is alike, so that the same seed makes the same requests."""
    return zlib.crc32(repr(what).encode("utf-8", "replace"))
