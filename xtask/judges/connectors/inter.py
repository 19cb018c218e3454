"""A Python client of Inter calls the fake.

It takes the bank's host and the system's authorities as given, so that sockets go to the fake
instead. Its token file is in its own package, and one of an earlier run names a token that the
fake does not know.
"""

import http.client
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import certifi
from lines import check, end

FAKE = json.loads(sys.argv[1])
PORT = urlsplit(FAKE["tls_client"]).port
CERTIFICATE = (f"{FAKE['folder']}/client-good.pem", f"{FAKE['folder']}/client-good.key.pem")
connect = http.client.HTTPSConnection.__init__


def connect_to_the_fake(self, _host, port=None, **others):
    connect(self, "localhost", PORT, **others)


http.client.HTTPSConnection.__init__ = connect_to_the_fake
certifi.where = lambda: f"{FAKE['folder']}/ca.pem"
os.environ["X_INTER_CONTA_CORRENTE"] = "123456789"

from bancointer.utils.exceptions import BancoInterException  # noqa: E402
from bancointer.utils.http_utils import HttpUtils  # noqa: E402
from bancointer.utils.token_utils import TokenUtils  # noqa: E402

Path(TokenUtils.TOKEN_FILE_PATH).unlink(missing_ok=True)
inter = HttpUtils("localhost", "id", "secret", CERTIFICATE, "123456789")
BOLETO = {
    "seuNumero": "NF-9",
    "valorNominal": 2.5,
    "dataVencimento": "2040-12-10",
    "numDiasAgenda": 30,
    "pagador": {
        "cpfCnpj": "52998224725",
        "tipoPessoa": "FISICA",
        "nome": "Ana Souza",
        "endereco": "Rua A",
        "numero": "12",
        "complemento": "Sala 3",
        "bairro": "Centro",
        "cidade": "São Paulo",
        "uf": "SP",
        "cep": "01001000",
    },
}
PAYOUT = {
    "valor": 1.5,
    "descricao": "Saque",
    "destinatario": {"tipo": "CHAVE", "chave": "ana@example.com"},
}
UUID = "0192f0c4-a5b6-7c8d-9e0f-000000009999"


def boleto():
    code = inter.make_post("/cobranca/v3/cobrancas", BOLETO)["codigoSolicitacao"]
    # At first the bank does not know its own code, and then it is still making the boleto.
    for _ in range(3):
        with suppress(BancoInterException):
            answer = inter.make_get(f"/cobranca/v3/cobrancas/{code}")
    assert len(answer["boleto"]["linhaDigitavel"]) == 47, answer
    assert answer["cobranca"]["seuNumero"] == "NF-9", answer


def payout():
    inter.add_custom_header("x-id-idempotente", UUID)
    first = inter.make_post("/banking/v2/pix", PAYOUT)["codigoSolicitacao"]
    again = inter.make_post("/banking/v2/pix", PAYOUT)["codigoSolicitacao"]
    assert first == again, f"{first} is not {again}"
    answer = inter.make_get(f"/banking/v2/pix/{first}")
    assert "transacaoPix" in answer, answer


check("bancointer: a boleto is made", boleto)
check("bancointer: a key is one payout", payout)
end()
