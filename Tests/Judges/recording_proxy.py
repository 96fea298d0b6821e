"""An HTTP proxy on a free loopback port that passes everything on and remembers every exchange byte for byte."""

import dataclasses
import gzip
import http.client
import threading

from judging import Handler, Server


@dataclasses.dataclass
class Exchange:
    """A request as it came in and its answer as it went back; `phase` is whatever the proxy was told last."""

    phase: str
    method: str
    target: str
    headers: dict
    body: bytes
    status: int
    answer_headers: dict
    answer: bytes


class RecordingProxy:
    """Listens for requests to one upstream, `host:port`, until it is closed.

    `watch`, where there is one, is called with every exchange before its answer goes back.
    """

    def __init__(self, upstream):
        self.exchanges = []
        self.phase = ""
        self.watch = None
        proxy = self
        connections = threading.local()

        class Passing(Handler):
            def pass_on(self):
                body = self.body()
                if self.headers.get("Transfer-Encoding"):
                    raise ValueError("a request body in chunks is not expected")
                headers = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "host")}
                if not hasattr(connections, "upstream"):
                    connections.upstream = http.client.HTTPConnection(upstream, timeout=60)
                connection = connections.upstream
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                connection.putheader("Host", upstream)
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body or None)
                response = connection.getresponse()
                answer = response.read()
                kept = {
                    k: v for k, v in response.getheaders()
                    if k.lower() not in ("connection", "transfer-encoding", "content-length")
                }
                plain = gzip.decompress(answer) if kept.get("Content-Encoding") == "gzip" else answer
                lower = lambda names: {k.lower(): v for k, v in names.items()}
                exchange = Exchange(
                    proxy.phase, self.command, self.path, lower(headers), body, response.status, lower(kept), plain
                )
                # Before the client can ask on by the answer, so that the order is that of cause and effect.
                proxy.exchanges.append(exchange)
                if watch := proxy.watch:
                    watch(exchange)
                self.send_response_only(response.status)
                for name, value in kept.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
                self.wfile.flush()

            do_GET = do_POST = do_PATCH = do_DELETE = pass_on

        self._server = Server(Passing)
        self.endpoint = self._server.endpoint

    def close(self):
        self._server.shutdown()
        self._server.server_close()
