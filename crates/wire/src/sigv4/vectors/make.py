"""Writes `requests.txt`: requests signed by botocore, and by plain hashlib and hmac where botocore has no signer.

    pip install botocore && python3 make.py > requests.txt

Every line is a word and a text: `case NAME`, then `secret`, `line` (the request line), one `header NAME:VALUE` for each
header in the order sent, and `body` in hexadecimal digits. All are signed at 2026-01-01T00:00:00Z.
"""

import datetime
import gzip
import hashlib
import hmac
import json
from urllib.parse import urlsplit

import botocore.auth
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NOW = datetime.datetime(2026, 1, 1, 0, 0, 0)
botocore.auth.get_current_datetime = lambda: NOW
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "FwoGZXIvYXdzEBYaDH+token/with==signs"
TARGET = "DynamoDB_20120810.ListTables"


class PresignedWithBody(SigV4QueryAuth):
    """Presigned, with the body left where it is; botocore would move it into the query string."""

    def _modify_request_before_signing(self, request):
        body, request.data = request.data, ""
        super()._modify_request_before_signing(request)
        request.data = body


def show(name, request_line, headers, body, secret=SECRET):
    print(f"case {name}\nsecret {secret}\nline {request_line}")
    for key, value in headers:
        print(f"header {key}:{value}")
    print(f"body {body.hex()}\n")


def sign(name, body, headers=(), url="http://localhost:8000/", signer=SigV4Auth, token=None, region="us-east-1",
         secret=SECRET, key=KEY):
    request = AWSRequest("POST", url, data=body)
    for header, value in headers:
        request.headers.add_header(header, value)
    signer(Credentials(key, secret, token), "dynamodb", region).add_auth(request)
    parts = urlsplit(request.url)
    target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    sent = [("Host", parts.netloc)] + [(k, v) for k, v in request.headers.items() if k.lower() != "host"]
    show(name, f"POST {target} HTTP/1.1", sent, body, secret)


def plain(body_hash, headers, secret=SECRET):
    """Authorization for these headers, by hand: its value, the signing key, the scope and the signature."""
    scope = "20260101/us-east-1/dynamodb/aws4_request"
    names = ";".join(sorted(name.lower() for name, _ in headers))
    lines = "".join(f"{name.lower()}:{value}\n" for name, value in sorted(headers, key=lambda h: h[0].lower()))
    canonical = f"POST\n/\n\n{lines}\n{names}\n{body_hash}"
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n20260101T000000Z\n{scope}\n{digest}"
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"AWS4-HMAC-SHA256 Credential={KEY}/{scope},SignedHeaders={names},Signature={signature}", key, scope, signature


def chunked(name, word, chunks, trailer=()):
    """A body in aws-chunked framing, with a signature for each chunk if `word` says so."""
    headers = base + [
        ("X-Amz-Date", "20260101T000000Z"),
        ("X-Amz-Content-Sha256", word),
        ("Content-Encoding", "aws-chunked"),
        ("X-Amz-Decoded-Content-Length", str(sum(map(len, chunks)))),
        ("Host", "localhost:8000"),
    ]
    authorization, key, scope, previous = plain(word, headers)
    signed = "UNSIGNED" not in word
    body = b""
    for chunk in chunks + [b""]:
        extension = ""
        if signed:
            empty, own = hashlib.sha256(b"").hexdigest(), hashlib.sha256(chunk).hexdigest()
            text = f"AWS4-HMAC-SHA256-PAYLOAD\n20260101T000000Z\n{scope}\n{previous}\n{empty}\n{own}"
            previous = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
            extension = f";chunk-signature={previous}"
        body += f"{len(chunk):x}{extension}\r\n".encode() + chunk + (b"\r\n" if chunk else b"")
    for line in trailer:
        body += f"{line}\r\n".encode()
    if signed and trailer:
        lines = "".join(f"{line}\n" for line in trailer)
        own = hashlib.sha256(lines.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256-TRAILER\n20260101T000000Z\n{scope}\n{previous}\n{own}"
        body += f"x-amz-trailer-signature:{hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}\r\n".encode()
    show(name, "POST / HTTP/1.1", headers + [("Authorization", authorization)], body + b"\r\n")


base = [("Content-Type", "application/x-amz-json-1.0"), ("X-Amz-Target", TARGET)]
item = json.dumps({"ExclusiveStartTableName": "orders"}).encode()
sign("a plain request", item, base)
sign("an empty body", b"", base)
sign("a binary body", bytes(range(256)), base)
sign("a session token", b"{}", base, token=TOKEN)
sign("another region", b"{}", base, region="eu-west-2")
sign("odd spacing", b"{}", base + [("X-Odd", "   a   b  c    "), ("X-Quoted", '"a   b"'), ("X-Blank", "")])
sign("duplicate headers", b"{}", base + [("X-Twice", "one"), ("X-Other", "x"), ("X-Twice", "  two   three ")])
sign("a query that is not sorted", b"{}", base, url="http://localhost:8000/?b=2&a=%2Fx&a=1&c=")
sign("a path", b"{}", base, url="http://localhost:8000/a%20b/c/")
sign("a path to be normalised", b"{}", base, url="http://localhost:8000/a/./b//../c")
sign("the hash in a header", b"{}", base + [("X-Amz-Content-SHA256", hashlib.sha256(b"{}").hexdigest())])
sign("an unsigned payload", b"{}", base + [("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD")])
sign("a compressed body", gzip.compress(item, mtime=0), base + [("Content-Encoding", "gzip")])
sign("the Date header", b"{}", base + [("Date", "x")])
sign("a secret beyond ASCII", b"{}", base, secret="ключ/ü")
sign("a presigned request", b"{}", base, signer=PresignedWithBody)
sign("a presigned request without a body", b"", base, signer=PresignedWithBody)
sign("a presigned request with a session token", b"{}", base, signer=PresignedWithBody, token=TOKEN)
sign("a presigned request with other parameters", b"{}", base, url="http://localhost:8000/?z=%7E~+&Y=a%2Fb",
     signer=PresignedWithBody)
chunked("chunks that are not signed", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", [b"{", b"}"], ["x-amz-checksum-crc32:o6Yxdg=="])
chunked("chunks that are signed", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", [b"{" + b" " * 300, b"}"])
chunked("chunks and a trailer that are signed", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", [b"{", b"}"],
        ["x-amz-checksum-crc32:o6Yxdg=="])
