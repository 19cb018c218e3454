"""What is read off the log of a connector's run: Prism's objections, keys, and twins."""

import re
from collections import defaultdict
from urllib.parse import parse_qs

# Each order that a bank makes once for a key, with the header and where the body repeats it.
KEYS = {
    "pagarme.order.create": "idempotency-key",
    "pagarme.charge.cancel": "idempotency-key",
    "inter.payout.create": "x-id-idempotente",
}

# Headers that change what a request means.
HEADERS = ["idempotency-key", "x-id-idempotente", "x-conta-corrente"]

# What our connector and an SDK both do.
TWINS = [
    "efi.token",
    "efi.cob.create",
    "efi.cob.get",
    "efi.cob.update",
    "efi.webhook.put",
    "efi.webhook.get",
    "efi.pix.list",
    "efi.pix.get",
    "efi.refund.create",
    "efi.refund.get",
    "efi.payout.create",
    "efi.payout.get",
    "efi.payout.list",
    "efi.balance",
    "cobrancas.token",
    "cobrancas.create",
    "cobrancas.list",
    "cobrancas.notification",
    "cobrancas.cancel",
    "inter.token",
    "inter.slip.create",
    "inter.slip.get",
    "inter.payout.create",
    "inter.payout.get",
    "pagarme.token.create",
    "pagarme.token.get",
    "pagarme.order.create",
    "pagarme.order.list",
    "pagarme.charge.get",
    "pagarme.charge.cancel",
    "pagarme.customer.create",
    "pagarme.card.create",
    "pagarme.card.list",
    "pagarme.payables",
]

# Where they may differ, and why. A difference that is gone must leave this list.
ALLOWED = {
    "efi.balance": {"ours parameter bloqueios": "what is blocked is on the account, too"},
    "efi.cob.create": {"SDK POST v2/cob": "we name every charge by a txid of ours"},
    "efi.cob.update": {"SDK field valor.original": "we only close charges"},
    "inter.token": {"SDK header x-conta-corrente": "a token is of the application's accounts"},
    "inter.payout.get": {"SDK header x-id-idempotente": "the client keeps a header once it is set"},
}


def prism_objections(log, tally):
    """Requests keep to the central bank's document, and so do answers that are no errors.

    Efí's own errors are in another form than the document's, so those answers are not judged.
    """
    judged = [entry for entry in log if entry["operation"].startswith("efi.")]
    requests, answers = [], []
    for entry in judged:
        for violation in entry["violations"]:
            where = violation["location"][0]
            text = f"{entry['operation']}: {violation.get('message')}"
            if where == "response":
                answers += [text] if (entry["status"] or 0) < 400 else []
            else:
                requests.append(text)
    tally.check("Prism: requests", sorted(set(requests)))
    tally.check("Prism: answers", sorted(set(answers)))


def idempotency_keys(log, tally):
    for operation, header in KEYS.items():
        entries = [entry for entry in log if entry["operation"] == operation]
        lacking = [entry["number"] for entry in entries if not entry["headers"].get(header)]
        faults = [f"none in {len(lacking)} of {len(entries)} requests"] if lacking else []
        tally.check(f"key of {operation}", faults if entries else ["no request"])


def twins(theirs, ours, tally):
    """The same operation looks the same in every client of a bank."""
    theirs, ours = by_operation(theirs), by_operation(ours)
    for operation in TWINS:
        if not theirs[operation] or not ours[operation]:
            tally.check(f"twins: {operation}", ["one of them did not do it"])
            continue
        left, right = shape(theirs[operation]), shape(ours[operation])
        found = {f"SDK {part}" for part in left - right} | {f"ours {part}" for part in right - left}
        allowed = set(ALLOWED.get(operation, {}))
        faults = sorted(found - allowed) + [f"no longer: {gone}" for gone in allowed - found]
        tally.check(f"twins: {operation}", faults)


def by_operation(log):
    entries = defaultdict(list)
    for entry in log:
        entries[entry["operation"]].append(entry)
    return entries


def shape(entries):
    """Everything that two clients have to agree in, as a set of words."""
    words = set()
    for entry in entries:
        headers = entry["headers"]
        words.add(f"{entry['method']} {template(entry['path'])}")
        words.add(f"authorization {headers.get('authorization', 'none').split()[0]}")
        words |= {f"header {name}" for name in HEADERS if name in headers}
        words |= {f"parameter {name}" for name in parse_qs(entry["query"])}
        if entry["body"] is not None:
            words.add(headers.get("content-type", "no content type").split(";")[0])
            words |= {f"field {field}" for field in fields(entry["body"])}
    return words


def template(path):
    """The path with a hole for each id: words of the API are of small letters alone."""
    parts = path.strip("/").split("/")
    return "/".join(part if re.fullmatch(r"v\d|[a-z-]+", part) else "{}" for part in parts)


def fields(body, prefix=""):
    """The paths of all fields that hold a value."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from fields(value, f"{prefix}.{name}" if prefix else name)
    elif isinstance(body, list):
        for value in body:
            yield from fields(value, f"{prefix}[]")
    elif body not in [None, ""]:
        yield prefix
