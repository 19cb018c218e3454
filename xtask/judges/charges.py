"""Orders random charges from a real server, and reads what is drawn of them as a phone would.

Arguments: the program, a file to write the charges to for the next judge, and a seed if the same
charges are wanted again. Pictures are read by zxing; texts are left to the next judge.
"""

import base64
import io
import json
import random
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

from drawings import read_page, read_picture
from PIL import Image
from product import Server, Shop

CHARGES = 1_000
SLIPS_DRAWN = 120
CENTS_MAX = 1_000_000_000
SAO_PAULO = timezone(timedelta(hours=-3))
DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOPS = [
    "Loja Exemplo",
    "Café São João",
    "AÇÚCAR & AFETO LTDA",
    "Uma loja cujo nome é bem mais longo do que cabe",
    "O'Brien Importações",
    "Ninho do Tuiuiú",
    "Pão/Vinho 24h",
    "  Espaços  demais  ",
    "Brechó 🏖 da Praia",
    "Zé",
]


class Dice:
    """Everything random, by one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def cents(self):
        """As often few as many."""
        return int(CENTS_MAX ** self.random.random())

    def day(self):
        # A day away from the ends, so that midnight may pass meanwhile.
        days = timedelta(days=self.random.randint(1, 364))
        return (datetime.now(SAO_PAULO) + days).date().isoformat()

    def document(self):
        """A CPF or a CNPJ, the latter with letters or without, written in some usual way."""
        kind = self.random.choice(["cpf", "digits", "letters"])
        if kind == "cpf":
            body = self.text(DIGITS, 9)
            for weights in (range(10, 1, -1), range(11, 1, -1)):
                body += check_digit(body, weights)
            return self.written(body, "{}.{}.{}-{}", (3, 6, 9))
        body = self.text(DIGITS if kind == "digits" else DIGITS + LETTERS, 12)
        for first in (5, 6):
            weights = [*range(first, 1, -1), *range(9, 1, -1)]
            body += check_digit(body, weights)
        return self.written(body, "{}.{}.{}/{}-{}", (2, 5, 8, 12))

    def forged(self, document):
        """The same document with another character in one place."""
        places = [at for at, character in enumerate(document) if character.isalnum()]
        at = self.random.choice(places)
        is_company = len(places) == 14
        others = DIGITS + LETTERS if is_company and at not in places[-2:] else DIGITS
        other = self.random.choice(others.replace(document[at].upper(), ""))
        return document[:at] + other + document[at + 1 :]

    def text(self, alphabet, length):
        while True:
            text = "".join(self.random.choices(alphabet, k=length))
            if len(set(text)) > 1:
                return text

    def written(self, plain, mask, cuts):
        style = self.random.choice(["plain", "masked", "small"])
        if style == "plain":
            return plain
        ends = zip((0, *cuts), (*cuts, len(plain)))
        masked = mask.format(*(plain[start:end] for start, end in ends))
        return masked.lower() if style == "small" else masked


def check_digit(body, weights):
    values = [ord(character) - ord("0") for character in body]
    rest = sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11
    return "0" if rest < 2 else str(11 - rest)


def order(shop, dice):
    """A charge, with what was asked for beside what came of it."""
    asked = {"cents": dice.cents(), "document": dice.document()}
    method = dice.random.choice(["PIX", "BOLETO"])
    due = {"dueDate": dice.day()} if method == "BOLETO" else {}
    charge = shop.charge(asked["cents"], method, asked["document"], **due)
    client = shop.call("GET", f"/api/clients/{charge['customer']['id']}")["client"]
    forged = dice.forged(asked["document"])
    status, _ = shop.ask("POST", "/api/clients", {**BUYER, "document": forged})
    return {
        **asked,
        **due,
        "merchantName": shop.name,
        "kept": client["document"],
        "masked": charge["customer"]["taxId"],
        "forged": {"document": forged, "taken": status < 300},
        "pix": charge["pix"],
        "boleto": charge["boleto"],
    }


BUYER = {"name": "Bia", "email": "bia@example.com"}


def picture_faults(order):
    """Reads the picture that the API gives of a PIX code."""
    pix = order["pix"]
    if pix is None:
        return
    png = base64.b64decode(pix["qrCodeBase64"])
    found = read_picture(Image.open(io.BytesIO(png)))
    if found != [pix["brCode"]]:
        yield f"the picture of {pix['brCode']} reads {found}"


def slip_faults(server, order):
    """Reads both codes off the page of a slip, which is what is printed."""
    path = order["boleto"]["url"].removeprefix(server.base)
    status, page = server.ask("GET", path)
    if status != 200:
        yield f"{path} answers {status}"
        return
    pix, barcode = order["pix"], order["boleto"]["barcode"]
    expected = ([barcode], [pix["brCode"]] if pix else [])
    found = read_page(page)
    if found != expected:
        yield f"the slip of {barcode} reads {found}"


def judge(program, file, seed, folder):
    began, dice, server = time.monotonic(), Dice(seed), Server(program, folder)
    try:
        shops = [Shop(server, number, name) for number, name in enumerate(SHOPS)]
        orders = [order(dice.random.choice(shops), dice) for _ in range(CHARGES)]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(orders, out)
        pictures = [order for order in orders if order["pix"]]
        slips = [order for order in orders if order["boleto"]][:SLIPS_DRAWN]
        found = [fault for order in pictures for fault in picture_faults(order)]
        found += [fault for order in slips for fault in slip_faults(server, order)]
    finally:
        server.stop()
    for line in found[:10]:
        print(line, file=sys.stderr)
    took = time.monotonic() - began
    print(
        f"drawings (seed {seed}, {took:.0f} s): {len(pictures)} QR pictures and {len(slips)} "
        f"slips read, {len(found)} faults",
        flush=True,
    )
    return not found and len(orders) >= CHARGES and len(slips) >= 100


if __name__ == "__main__":
    own_seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().getrandbits(32)
    print(f"charges: seed {own_seed}", flush=True)
    with tempfile.TemporaryDirectory() as own_folder:
        sys.exit(0 if judge(sys.argv[1], sys.argv[2], own_seed, own_folder) else 1)
