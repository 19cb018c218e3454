"""Efí's Python SDK calls the fake: a second reading of the same bank.

Arguments: the fake's line of JSON. `REQUESTS_CA_BUNDLE` names the fake's authority.
"""

import json
import sys

from efipay import EfiPay
from efipay.constants import Constants
from lines import check, end

FAKE = json.loads(sys.argv[1])
TXID = "9978c0c97ea847e78e8849634473c1f2"
BODY = {
    "calendario": {"expiracao": 3600},
    "valor": {"original": "10.00"},
    "chave": "pix@example.com",
    "solicitacaoPagador": "Loja",
}

Constants.APIS["PIX"]["URL"]["sandbox"] = FAKE["tls_client"]
efi = EfiPay(
    {
        "client_id": "id",
        "client_secret": "secret",
        "sandbox": True,
        "certificate": FAKE["folder"] + "/client-good.both.pem",
    }
)


def created():
    charge = efi.pix_create_charge(params={"txid": TXID}, body=BODY)
    assert (charge["status"], charge["txid"]) == ("ATIVA", TXID), charge


def read():
    charge = efi.pix_detail_charge(params={"txid": TXID})
    assert charge["valor"]["original"] == "10.00", charge


def balance():
    answer = efi.get_account_balance()
    assert "saldo" in answer, answer


check("efipay: pix_create_charge", created)
check("efipay: pix_detail_charge", read)
check("efipay: get_account_balance", balance)
end()
