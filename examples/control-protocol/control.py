"""The control protocol of plumbline, with only the standard library of Python 3.9 or later.

Subclass Worlds, and call serve() in the process of your staging server.
"""

import hmac
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


class Refused(Exception):
    """Raise this for an unknown world (404), an unknown role, scope or fault (400), or what you do not offer (404)."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Worlds:
    """Arranges worlds (isolated tenants) on your server. Override the methods for what you can arrange."""

    def open(self, label):
        """Makes a world: a dict of id, workspace_id, keys, interns and guardrail_id."""
        raise NotImplementedError

    def close(self, world):
        """Deletes a world, if it is still there."""
        raise NotImplementedError

    def store(self, world, scope, name, value):
        """Stores a secret. The scope is workspace, own, sibling or foreign."""
        raise NotImplementedError

    def stored(self, world):
        """Lists the secrets that are still stored, as dicts of scope and name: never a value."""
        raise NotImplementedError

    def set_key_information(self, world, role, fields):
        """Sets fields that GET /key reports for the key of a role."""
        raise NotImplementedError

    def set_guardrail(self, world, fields):
        """Sets fields of the world's guardrail."""
        raise NotImplementedError

    def set_faults(self, world, faults):
        """Replaces the faults that affect requests with the world's keys."""
        raise NotImplementedError

    def set_free_usage(self, world, role, minute, day):
        """Sets how many requests to free models the account of a role has made."""
        raise NotImplementedError

    def set_credit(self, world, role, balance=None, limit_remaining=None):
        """Sets the balance of the account of a role's key, or what remains of the limit of the key."""
        raise NotImplementedError

    def set_usage(self, world, role, records):
        """Replaces the records that the usage figures of a role's key are computed from."""
        raise NotImplementedError


# Method, path, status of the response, and a function of the worlds, the body and the path parameters.
CALLS = [
    ("POST", r"/worlds", 201, lambda worlds, body: worlds.open(body["label"])),
    ("DELETE", r"/worlds/([^/]+)", 204, lambda worlds, _, world: worlds.close(world)),
    ("GET", r"/worlds/([^/]+)/secrets", 200, lambda worlds, _, world: {"secrets": worlds.stored(world)}),
    (
        "PUT",
        r"/worlds/([^/]+)/secrets/([^/]+)/([^/]+)",
        204,
        lambda worlds, body, world, scope, name: worlds.store(world, scope, name, body["value"]),
    ),
    (
        "PUT",
        r"/worlds/([^/]+)/keys/([^/]+)/info",
        204,
        lambda worlds, body, world, role: worlds.set_key_information(world, role, body),
    ),
    ("PUT", r"/worlds/([^/]+)/guardrail", 204, lambda worlds, body, world: worlds.set_guardrail(world, body)),
    ("PUT", r"/worlds/([^/]+)/faults", 204, lambda worlds, body, world: worlds.set_faults(world, **body)),
    ("PUT", r"/worlds/([^/]+)/free-usage", 204, lambda worlds, body, world: worlds.set_free_usage(world, **body)),
    ("PUT", r"/worlds/([^/]+)/credit", 204, lambda worlds, body, world: worlds.set_credit(world, **body)),
    ("PUT", r"/worlds/([^/]+)/usage", 204, lambda worlds, body, world: worlds.set_usage(world, **body)),
]


def serve(worlds, capabilities, token, port, host="127.0.0.1", base="/control"):
    """Returns an HTTP server of the control protocol; run its serve_forever() in a thread.

    capabilities() returns a dict of base_url, roles, faults, features and the rest that you can arrange.
    Raises ValueError without a token, and if APP_ENV is "production", since the protocol hands out keys.
    """
    if os.environ.get("APP_ENV") == "production":
        raise ValueError("The control protocol must not run with APP_ENV=production: it hands out keys.")
    if not token:
        raise ValueError("The control protocol needs a token: set PLUMBLINE_CONTROL_TOKEN.")
    expected = f"Bearer {token}".encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), expected):
                return self.answer(401, {"error": "the control token is missing or wrong"})
            try:
                self.answer(*self.call(body))
            except Refused as error:
                self.answer(error.status, {"error": str(error)})
            except NotImplementedError:
                self.answer(404, {"error": "this is not offered"})
            except Exception as error:  # An error in your code must not close the connection.
                self.log_error("%r", error)
                self.answer(500, {"error": "the control failed"})

        do_POST = do_PUT = do_DELETE = do_GET

        def call(self, body):
            path = self.path.split("?")[0].removeprefix(base)
            if path in ("", "/") and self.command == "GET":
                return 200, {"protocol": "1", **capabilities()}
            for method, pattern, status, call in CALLS:
                match = re.fullmatch(pattern, path)
                if match is None or method != self.command:
                    continue
                try:
                    parts = [unquote(part, errors="strict") for part in match.groups()]
                    value = json.loads(body) if method in ("POST", "PUT") else None
                except ValueError:
                    raise Refused(400, "the call is malformed") from None
                return status, call(worlds, value, *parts)
            raise Refused(404, "there is no such call")

        def answer(self, status, value=None):
            body = b"" if status == 204 else json.dumps(value).encode()
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, *_):
            """Logs only errors."""

    return ThreadingHTTPServer((host, port), Handler)
