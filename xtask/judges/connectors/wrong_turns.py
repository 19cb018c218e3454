"""A connector's possible mistakes, each with the check that has to notice it.

Breaking any of these rules loses money or payments. A check is named by how its name begins.
"""

import json
from urllib.parse import parse_qs, urlencode, urlsplit

from rewriter import WrongTurn

# The amount in the notices that `exercise` makes up.
FORGED = "9999.00"
APPROVED = {"failed": "paid", "not_authorized": "captured"}


def changed(method, part, change):
    """Changes the JSON of the requests to a path."""

    def request(exchange):
        if exchange.is_to(method, part):
            exchange.edit(change)

    return WrongTurn(request)


def changed_answer(part, change):
    """Changes the JSON of the answers to a path."""

    def answer(exchange):
        if part in exchange.path:
            exchange.edit_answer(change)

    return WrongTurn(answer=answer)


def without_dates(value):
    for payable in value["data"]:
        payable.pop("created_at")


def without_header(name):
    return WrongTurn(lambda exchange: exchange.headers.pop(name, None))


def read_as_refused(statuses):
    """The bank's answer is taken for its refusal."""

    def answer(exchange):
        if exchange.status in statuses and exchange.method in ["PUT", "POST"]:
            exchange.reply(422, {"nome": "pagamento_negado", "mensagem": "negado"})

    return WrongTurn(answer=answer)


def number_for_money(body):
    if "valor" in body:
        body["valor"]["original"] = float(body["valor"]["original"])


def no_key(body):
    body.pop("chave", None)


def nature(body):
    body["natureza"] = "ORIGINAL"


def no_label(body):
    body["metadata"].pop("custom_id")


def no_reference(body):
    body.pop("operation_reference")


def booked_without_reread():
    """The amount is the notice's, and not the bank's."""

    def answer(exchange):
        if exchange.is_to("GET", "/v2/pix/") and "/devolucao/" not in exchange.path:
            exchange.edit_answer(lambda value: value.update(valor=FORGED))

    return WrongTurn(answer=answer)


def window_without_overlap():
    """It begins where the last one ended, at a clock that is ahead of the bank's."""

    def request(exchange):
        parts = urlsplit(exchange.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/v2/pix" and "inicio" in query:
            query["inicio"] = query["fim"]
            exchange.path = f"{parts.path}?{urlencode(query)}"

    return WrongTurn(request)


def first_page_only():
    def answer(exchange):
        def change(value):
            value["parametros"]["paginacao"]["quantidadeDePaginas"] = 1

        if exchange.is_to("GET", "/v2/pix?") and exchange.status == 200:
            exchange.edit_answer(change)

    return WrongTurn(answer=answer)


def old_name_only():
    """Only `e2eId` is read, which is what the documents of 2024 call it."""

    def answer(exchange):
        if "/gn/pix" in exchange.path:
            exchange.edit_answer(lambda value: value.pop("endToEndId", None))

    return WrongTurn(answer=answer)


def sent_again_under_another_id():
    """What has no certain answer is sent once more, as something new."""

    def request(exchange):
        key = exchange.headers.get("x-id-idempotente", "")
        if exchange.is_to("POST", "/banking/v2/pix"):
            turn.sent[key] = turn.sent.get(key, 0) + 1
            if turn.sent[key] > 1:
                exchange.headers["x-id-idempotente"] = f"{turn.sent[key]:08x}{key[8:]}"

    turn = WrongTurn(request)
    turn.sent = {}
    return turn


def status_200_read_as_approved():
    def answer(exchange):
        if "/core/v5/orders" in exchange.path and exchange.status == 200:
            text = exchange.answer.decode()
            for real, other in APPROVED.items():
                text = text.replace(json.dumps(real), json.dumps(other))
            exchange.answer = text.encode()

    return WrongTurn(answer=answer)


def token_asked_by_form():
    def request(exchange):
        if exchange.is_to("POST", "/v1/authorize"):
            exchange.headers["content-type"] = "application/x-www-form-urlencoded"
            exchange.body = b"grant_type=client_credentials"

    return WrongTurn(request)


# Each mistake, the check that notices it, and how it is made.
WRONG_TURNS = [
    ("money is a number", "Prism: requests", changed("PUT", "/v2/cob/", number_for_money)),
    ("a charge lacks its `chave`", "Prism: requests", changed("PUT", "/v2/cob/", no_key)),
    (
        "Efí gets a `natureza`",
        "Efí's schema of efi.refund.create",
        changed("PUT", "/devolucao/", nature),
    ),
    (
        "the idempotency key is left out",
        "key of pagarme.order.create",
        without_header("idempotency-key"),
    ),
    ("a payout has no key", "key of inter.payout.create", without_header("x-id-idempotente")),
    ("409 is read as refused", "efi: a payout is paid once", read_as_refused([409])),
    (
        "5xx is read as refused",
        "efi: a server error is unknown",
        read_as_refused([500, 502, 503, 504]),
    ),
    ("a notice is booked without reread", "efi: a notice is reread", booked_without_reread()),
    ("a window has no overlap", "efi: a window is read whole", window_without_overlap()),
    ("only the first page is read", "efi: a window is read whole", first_page_only()),
    ("only `e2eId` is read", "efi: a payout is paid once", old_name_only()),
    (
        "a payout is sent again as a new one",
        "inter: a payout is paid once",
        sent_again_under_another_id(),
    ),
    (
        "200 is read as approved",
        "pagarme: a declined card is declined",
        status_200_read_as_approved(),
    ),
    (
        "a boleto has no label of ours",
        "efi: a lost boleto is registered once",
        changed("POST", "/v1/charge/one-step", no_label),
    ),
    (
        "a card's refund has no reference",
        "twins: pagarme.charge.cancel",
        changed("DELETE", "/core/v5/charges/", no_reference),
    ),
    ("a token is asked for by a form", "twins: cobrancas.token", token_asked_by_form()),
]

# Mistakes of the fake, which the SDKs notice.
WRONG_ANSWERS = [
    (
        "the fake has a status of its own",
        "efi: pixCreateCharge",
        changed_answer("/v2/cob/", lambda value: value.update(status="PENDENTE")),
    ),
    (
        "the fake leaves out when a payable was made",
        "pagarme: getPayables",
        changed_answer("/core/v5/payables", without_dates),
    ),
    (
        "the fake makes a payout for each request",
        "bancointer: a key is one payout",
        without_header("x-id-idempotente"),
    ),
]
