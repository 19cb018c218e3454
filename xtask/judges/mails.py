"""Takes the mails of a real server and reads each as a mail program would.

Argument: the program. The mails arrive at the SMTP server of `aiosmtpd`, encrypted from the first
byte and after STARTTLS, under certificates of an authority that `trustme` makes; Python's own
parser reads them. No code is shared with the server.
"""

import logging
import queue
import re
import socket
import ssl
import sys
import tempfile
import time
import warnings
from email import policy
from email.parser import BytesParser
from html.parser import HTMLParser

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from product import PASSWORD, PATIENCE_SECONDS, Server

LOGIN = (b"loja@cafe.example", b"a+b/c&d%e:f")
USER_INFO = "loja%40cafe.example:a+b%2Fc%26d%25e%3Af"
SENDER = '"Café do João, Ltda." <contato@cafe.example>'
NEW_PASSWORD = "another password for judges"
LINE_BYTES_MAX = 998
# It is encrypted before the login in either way, which it cannot know of one of them.
warnings.filterwarnings("ignore", message="Requiring AUTH while not requiring TLS")
logging.getLogger("mail.log").setLevel(logging.ERROR)


class Mailbox:
    """Where mails arrive; the very first is refused for now, so that it comes again."""

    def __init__(self, is_encrypted):
        self.arrived = queue.Queue()
        self.refused = False
        self.is_encrypted = is_encrypted

    async def handle_DATA(self, _server, session, envelope):
        if not self.refused:
            self.refused = True
            return "451 try again"
        self.arrived.put((self.is_encrypted or session.ssl is not None, envelope))
        return "250 taken"


class Links(HTMLParser):
    """The addresses that a page links to, and the elements that it has."""

    def __init__(self, text):
        super().__init__()
        self.found, self.elements = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.found += [value for name, value in attributes if name in ("href", "src")]


def authenticate(_server, _session, _envelope, _mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == LOGIN
    return AuthResult(success=good)


def free_port(host):
    with socket.create_server((host, 0)) as taken:
        return taken.getsockname()[1]


def start(authority, host, name, how):
    """Starts an SMTP server; answers where its mails arrive and how it is named in a URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    mailbox, port = Mailbox(how == "smtps"), free_port(host)
    options = {"authenticator": authenticate, "auth_required": True}
    if how == "smtps":
        options |= {"ssl_context": context, "auth_require_tls": False}
    else:
        options |= {"tls_context": context, "require_starttls": True}
    controller = Controller(mailbox, hostname=host, port=port, **options)
    controller.start()
    return controller, mailbox, f"{how}://{USER_INFO}@{name}:{port}"


def next_mail(mailbox, to):
    """The next mail that arrives, as a mail program sees it; fails for what it would dislike."""
    encrypted, envelope = mailbox.arrived.get(timeout=PATIENCE_SECONDS)
    faults = []
    mail = BytesParser(policy=policy.default).parsebytes(envelope.content)
    parts = list(mail.walk())
    faults += [f"{part.get_content_type()}: {part.defects}" for part in parts if part.defects]
    if not encrypted:
        faults.append("it was not encrypted")
    if max(len(line) for line in envelope.content.split(b"\r\n")) > LINE_BYTES_MAX:
        faults.append("a line is too long")
    if re.search(rb"(?<!\r)\n|\r(?!\n)", envelope.content) or not envelope.content.isascii():
        faults.append("a byte is not as mail has it")
    sender = mail["From"].addresses[0]
    if (sender.display_name, sender.addr_spec) != ("Café do João, Ltda.", "contato@cafe.example"):
        faults.append(f"it is from {sender}")
    if [address.addr_spec for address in mail["To"].addresses] != [to]:
        faults.append(f"it is to {mail['To']}")
    if (envelope.mail_from, envelope.rcpt_tos) != ("contato@cafe.example", [to]):
        faults.append(f"its envelope is {envelope.mail_from} {envelope.rcpt_tos}")
    if abs(mail["Date"].datetime.timestamp() - time.time()) > PATIENCE_SECONDS:
        faults.append(f"it is of {mail['Date']}")
    if not re.fullmatch(r"<[^@<>\s]+@cafe\.example>", mail["Message-ID"]):
        faults.append(f"it is called {mail['Message-ID']}")
    kinds = [part.get_content_type() for part in parts]
    if kinds != ["multipart/alternative", "text/plain", "text/html"]:
        faults.append(f"it has {kinds}")
    if faults:
        raise SystemExit(f"a mail to {to}: {'; '.join(faults)}\n{envelope.content.decode()}")
    return mail


def link(mail, base, path):
    """The one address that a mail links to, the same in its text and in its HTML."""
    text = mail.get_body(("plain",)).get_content()
    html = Links(mail.get_body(("html",)).get_content())
    found = [line for line in text.splitlines() if line.startswith(f"{base}/{path}/")]
    if found != html.found or len(found) != 1:
        raise SystemExit(f"a mail links to {found} and {html.found}")
    foreign = html.elements - {"html", "head", "meta", "title", "body", "h1", "p", "a", "br"}
    if foreign:
        raise SystemExit(f"a mail has the elements {foreign}")
    return found[0].rsplit("/", 1)[1]


def judge(program, folder, authority, host, name, how):
    controller, mailbox, url = start(authority, host, name, how)
    authority.cert_pem.write_to_path(f"{folder}/authority.pem")
    settings = {
        "TOSTAO_SMTP_URL": url,
        "TOSTAO_MAIL_FROM": SENDER,
        "SSL_CERT_FILE": f"{folder}/authority.pem",
    }
    server = Server(program, folder, settings=settings)
    try:
        email, shop = "fulano@example.com", "Ação & <b>Café</b> 🏖 " + "muito comprido " * 3
        server.register(email, shop)
        server.call("POST", "/api/auth/password-resets", {"email": email})
        mail = next_mail(mailbox, email)
        if mail["Subject"] != "Crie uma senha nova":
            raise SystemExit(f"a mail is about {mail['Subject']}")
        token = link(mail, server.base, "reset")
        body = {"token": token, "newPassword": NEW_PASSWORD}
        server.call("POST", "/api/auth/password-resets/confirm", body)
        if next_mail(mailbox, email)["Subject"] != "Sua senha foi trocada":
            raise SystemExit("no mail says that the password was changed")
        login = {"email": email, "password": NEW_PASSWORD}
        bearer = server.call("POST", "/api/auth/login", login)["accessToken"]
        guest = {"email": "beltrana@example.com", "role": "VIEWER"}
        server.call("POST", "/api/invitations", guest, bearer)
        mail = next_mail(mailbox, guest["email"])
        if not mail["Subject"].startswith("Convite para a conta Ação & <b>Café<"):
            raise SystemExit(f"a mail is about {mail['Subject']}")
        body = {"token": link(mail, server.base, "invitations"), "name": "Beltrana de Tal"}
        server.call("POST", "/api/invitations/accept", {**body, "password": PASSWORD})
    finally:
        server.stop()
        controller.stop()
    print(f"{how}: aiosmtpd took 3 mails, and Python's parser reads them")


def main(program):
    authority, name = trustme.CA(), socket.gethostname()
    for host, name, how in [
        ("127.0.0.1", "127.0.0.1", "smtps"),
        (socket.gethostbyname(name), name, "smtp"),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            judge(program, folder, authority, host, name, how)


main(sys.argv[1])
