"""Calls the server with the client that was generated: makes a link, and asks for what is not there.

The address of the server and the key are in the environment.
"""

import os
from uuid import uuid4

from tostao_client import AuthenticatedClient
from tostao_client.api.payment_links import create_payment_link
from tostao_client.api.transactions import get_transaction
from tostao_client.models import CreatePaymentLinkRequest, Error

TITLE = "Café em grãos, 250 g"

server, key = (os.environ[name] for name in ("TOSTAO_SERVER", "TOSTAO_API_KEY"))
client = AuthenticatedClient(base_url=server, token=key)

draft = CreatePaymentLinkRequest(title=TITLE, amount_cents=4_990)
made = create_payment_link.sync(client=client, body=draft, idempotency_key=str(uuid4()))
assert made.data.title == TITLE, made
refused = get_transaction.sync(made.data.id, client=client)
assert isinstance(refused, Error) and refused.code == "NOT_FOUND", refused
