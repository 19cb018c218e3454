"""Orders random charges from a real server, and reads what is shown of them as a phone would.

Arguments: the program, a file to write the charges to for the next judge, Chromium, the folder of
the library that drives it, and a seed if the same charges are wanted again. Chromium photographs
every payment page and every boleto, in turns at a phone's width and at a desktop's; zxing reads the
pictures, and some boletos off paper too. Texts are left to the next judge.
"""

import base64
import io
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

from pictures import element_widths, joined, read_bars, read_qr, sheet
from PIL import Image
from product import Server, Shop

CHARGES = 1_000
BOLETOS_WANTED = 300
BOLETOS_ON_PAPER = 30
WIDTHS = [360, 1280]
# What is photographed, by a name for it.
QR = {"qr": ".qr"}
BOTH_CODES = {**QR, "bars": ".bars"}
# A narrow bar has one module and a wide one three; two whole pixels a module keep them apart.
ELEMENT_WIDTHS = {2, 6}
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
        "page": charge["paymentUrl"],
        "kept": client["document"],
        "masked": charge["customer"]["taxId"],
        "forged": {"document": forged, "taken": status < 300},
        "pix": charge["pix"],
        "boleto": charge["boleto"],
    }


BUYER = {"name": "Bia", "email": "bia@example.com"}


def photograph(orders, boletos, folder, chromium, driver):
    """Leaves Chromium's pictures of every payment page and every boleto in the folder."""
    payments = [
        {"name": f"payment{at}", "url": order["page"], "width": width(at), "codes": QR}
        for at, order in enumerate(orders)
    ]
    pages = payments + [
        {
            "name": f"boleto{at}",
            "url": order["boleto"]["url"],
            "width": width(at),
            "codes": BOTH_CODES,
            "printed": at < BOLETOS_ON_PAPER,
        }
        for at, order in enumerate(boletos)
    ]
    wanted = folder / "pages.json"
    wanted.write_text(json.dumps(pages), encoding="utf-8")
    script = Path(__file__).with_name("pages.mjs")
    subprocess.run(["node", script, chromium, wanted, folder], cwd=driver, check=True)


def width(at):
    """A phone, a desktop, a phone..."""
    return WIDTHS[at % len(WIDTHS)]


def seen(folder, name):
    """The picture of a code on a page, whose strips are fewer than ten."""
    return joined(sorted(folder.glob(f"{name}.*.png")))


def payment_faults(at, order, folder):
    """Reads the code off the payment page, and off the picture that the API gives of it."""
    code, png = order["pix"]["brCode"], base64.b64decode(order["pix"]["qrCodeBase64"])
    pictures = {"API": Image.open(io.BytesIO(png)), "page": seen(folder, f"payment{at}.qr")}
    for place, image in pictures.items():
        found = read_qr(image)
        if found != [code]:
            yield f"the {place} of {code} reads {found}"


def boleto_faults(at, order, folder):
    """Reads both codes off the page of a boleto; off its PDF and its print too, if on paper."""
    views = {"page": [seen(folder, f"boleto{at}.{code}") for code in ("bars", "qr")]}
    widths = element_widths(views["page"][0])
    if widths != ELEMENT_WIDTHS:
        yield f"the bars of {order['boleto']['barcode']} are {sorted(widths)} pixels wide"
    if at < BOLETOS_ON_PAPER:
        url = order["boleto"]["url"].replace("/boleto?", "/boleto.pdf?")
        with urllib.request.urlopen(url) as answer:
            views["PDF"] = [sheet(answer.read())] * 2
        views["print"] = [sheet(folder / f"boleto{at}.pdf")] * 2
    expected = ([order["boleto"]["barcode"]], [order["pix"]["brCode"]])
    for place, (bars, square) in views.items():
        found = (read_bars(bars), read_qr(square))
        if found != expected:
            yield f"the {place} of the boleto of {expected[0]} reads {found}"


def judge(program, file, chromium, driver, seed, folder):
    began, dice, server = time.monotonic(), Dice(seed), Server(program, folder)
    try:
        shops = [Shop(server, number, name) for number, name in enumerate(SHOPS)]
        orders = [order(dice.random.choice(shops), dice) for _ in range(CHARGES)]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(orders, out)
        boletos = [order for order in orders if order["boleto"]]
        photograph(orders, boletos, folder, chromium, driver)
        found = []
        for at, ordered in enumerate(orders):
            found += payment_faults(at, ordered, folder)
        for at, ordered in enumerate(boletos):
            found += boleto_faults(at, ordered, folder)
    finally:
        server.stop()
    for line in found[:10]:
        print(line, file=sys.stderr)
    took = time.monotonic() - began
    print(
        f"pictures (seed {seed}, {took:.0f} s): {len(orders)} payment pages and {len(boletos)} "
        f"boletos read off Chromium's screen at {WIDTHS[0]} and {WIDTHS[1]} px, {BOLETOS_ON_PAPER} "
        f"boletos off their PDF and off paper, {len(found)} faults",
        flush=True,
    )
    return not found and len(boletos) >= BOLETOS_WANTED


if __name__ == "__main__":
    own_seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().getrandbits(32)
    print(f"charges: seed {own_seed}", flush=True)
    with tempfile.TemporaryDirectory() as own_folder:
        sys.exit(0 if judge(*sys.argv[1:5], own_seed, Path(own_folder)) else 1)
