"""A proxy between our connector and the fake that changes requests or answers on their way.

It stands for a connector with a mistake: what arrives at the bank, or what comes back from it, is
as if the connector were written wrongly. Both sides speak TLS, with the fake's own certificates.
"""

import http.client
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "keep-alive", "host"}


class Exchange:
    """A request, and its answer once there is one; a wrong turn changes it in place."""

    def __init__(self, method, path, headers, body):
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.status = None
        self.answer_headers = {}
        self.answer = b""

    def is_to(self, method, part):
        return self.method == method and part in self.path

    def edit(self, change):
        """Changes the JSON of the request."""
        value = json.loads(self.body)
        change(value)
        self.body = json.dumps(value).encode()

    def edit_answer(self, change):
        """Changes the JSON of the answer, if it is some."""
        try:
            value = json.loads(self.answer)
        except ValueError:
            return
        change(value)
        self.answer = json.dumps(value).encode()

    def reply(self, status, value):
        """Answers in the bank's place."""
        self.status = status
        self.answer_headers = {"content-type": "application/json"}
        self.answer = json.dumps(value).encode()


class WrongTurn:
    """A mistake: what it does to requests, and to answers."""

    def __init__(self, request=None, answer=None):
        self.request = request or (lambda exchange: None)
        self.answer = answer or (lambda exchange: None)


class Rewriter:
    """Two listeners, as the fake has them; `turn` is the mistake of the moment."""

    def __init__(self, place):
        self.turn = WrongTurn()
        self.place = dict(place)
        self.upstream = ssl.create_default_context(cafile=f"{place['folder']}/ca.pem")
        self.upstream.load_cert_chain(f"{place['folder']}/client-good.both.pem")
        self.certificate = f"{place['folder']}/server.both.pem"
        for listener in ["tls_client", "tls"]:
            self.place[listener] = self.listen(urlsplit(place[listener]).port)

    def listen(self, port):
        rewriter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # A head that leaves before its body would wait for the other side's acknowledgement.
            disable_nagle_algorithm = True

            def handle_one_exchange(self):
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(length)
                exchange = Exchange(self.command, self.path, headers, body)
                if not rewriter.carry(exchange, port):
                    # The bank cut the connection, and so is this one.
                    self.close_connection = True
                    return
                self.send_response_only(exchange.status)
                for name, value in exchange.answer_headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(exchange.answer)))
                self.end_headers()
                self.wfile.write(exchange.answer)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one_exchange

            def log_message(self, *_):
                """The fake has a log."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"https://localhost:{server.server_address[1]}"

    def carry(self, exchange, port):
        """Returns whether there is an answer."""
        self.turn.request(exchange)
        if exchange.status is None and not self.ask(exchange, port):
            return False
        self.turn.answer(exchange)
        return True

    def ask(self, exchange, port):
        upstream = http.client.HTTPSConnection("localhost", port, context=self.upstream)
        kept = {name: it for name, it in exchange.headers.items() if name not in HOP_BY_HOP}
        try:
            upstream.request(exchange.method, exchange.path, exchange.body or None, kept)
            answer = upstream.getresponse()
            exchange.answer = answer.read()
        except (http.client.HTTPException, OSError):
            return False
        finally:
            upstream.close()
        exchange.status = answer.status
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                exchange.answer_headers[name] = value
        return True
