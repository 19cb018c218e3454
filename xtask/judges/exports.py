"""Opens exported workbooks with `openpyxl`, and CSV files with Python's own reader.

Argument: the program. Both must say what the list in the API says, in the types of spreadsheets.
"""

import csv
import io
import sys
import tempfile
from datetime import datetime, timedelta, timezone

import openpyxl
from product import Server, proof

EMAIL = "loja@example.com"
LIST = "/api/v1/transactions"
# Brazil has had no summer time since 2019.
SAO_PAULO = timezone(timedelta(hours=-3))
NAMES = ["Fulana; de \"Tal\"", "=SUM(A1:A9)", "João \"Jô\" da Silva", "ＡＢＣ 日本"]


def export(server, bearer, form):
    status, body = server.fetch("GET", f"{LIST}/export?format={form}", None, proof(bearer))
    if status != 200:
        raise SystemExit(f"the export as {form} is answered {status}")
    return body


def rows_of_workbook(body):
    sheet = openpyxl.load_workbook(io.BytesIO(body), read_only=True).active
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row)) for row in rows]


def rows_of_csv(body):
    text = io.StringIO(body.decode("utf-8-sig"), newline="")
    return list(csv.DictReader(text, delimiter=";"))


def expected(payment):
    made = datetime.fromisoformat(payment["createdAt"]).astimezone(SAO_PAULO)
    return {
        "id": payment["id"],
        "customerName": payment["customer"]["name"],
        "amount": payment["amount"] / 100,
        "createdAt": made.replace(microsecond=0, tzinfo=None),
        "status": payment["status"],
    }


def in_csv(fields):
    """The same as texts; a text that looks like a formula has a quote before it."""
    name = fields["customerName"]
    return {
        **fields,
        "customerName": f"'{name}" if name.startswith("=") else name,
        "amount": f"{fields['amount']:.2f}".replace(".", ","),
        "createdAt": fields["createdAt"].strftime("%d/%m/%Y %H:%M:%S"),
    }


def judge(program, folder):
    server = Server(program, folder)
    try:
        server.register(EMAIL)
        bearer = server.sign_in(EMAIL)["accessToken"]
        for number, name in enumerate(NAMES):
            customer = {"name": name, "email": f"b{number}@example.com"}
            sale = {"amountCents": 1_999 + number, "method": "PIX", "customer": customer}
            server.call("POST", LIST, sale, bearer)
        listed = [expected(payment) for payment in server.call("GET", LIST, None, bearer)["data"]]
        files = [
            ("xlsx", rows_of_workbook(export(server, bearer, "xlsx")), listed),
            ("csv", rows_of_csv(export(server, bearer, "csv")), [in_csv(one) for one in listed]),
        ]
    finally:
        server.stop()
    found = []
    for form, rows, due in files:
        read = [{name: row[name] for name in fields} for row, fields in zip(rows, due)]
        if len(rows) != len(due) or read != due:
            found.append(f"{form}: {read} is read, and {due} is listed")
    for line in found:
        print(line, file=sys.stderr)
    print(f"exports: {len(files)} files, {len(found)} faults", flush=True)
    return not found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as own_folder:
        sys.exit(0 if judge(sys.argv[1], own_folder) else 1)
