#!/usr/bin/env python3
"""Google's own library as the judge of how we sign without a key: both get a token by the same credential file from the same
recording server, and their requests are compared field by field.

    federated_requests.py BINARY

Three differences are ours on purpose, and are taken into account:
- google-auth asks for the scope `iam` before it impersonates; we ask for `cloud-platform`, as Google's clients in Go and Java do.
- google-auth encodes `options` twice; we do so once, as those in Go and Java do.
- google-auth sends `"delegates": null` for none.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

import google.auth.transport.requests
from google.auth import identity_pool, impersonated_credentials, pluggable

from judging import Handler, Server

IAM = "https://www.googleapis.com/auth/iam"
CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"
DATASTORE = "https://www.googleapis.com/auth/datastore"
WORKLOAD = "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/ci/providers/github"
WORKFORCE = "//iam.googleapis.com/locations/global/workforcePools/staff/providers/okta"
EXPORTER = "exporter@p.iam.gserviceaccount.com"
VARIABLES = ["AUDIENCE", "TOKEN_TYPE", "INTERACTIVE", "IMPERSONATED_EMAIL", "OUTPUT_FILE"]

binary = os.path.realpath(sys.argv[1])
exchanges = []
failed = False


class Recorder(Handler):
    def answer(self):
        body = self.body()
        exchanges.append((self.command, self.path, dict(self.headers), body))
        if self.path.startswith("/identity"):
            text = {"count": 1, "value": "eyJ.subject.x"}
        elif self.path.endswith(":generateAccessToken"):
            text = {"accessToken": "ya29.impersonated", "expireTime": "2999-01-01T00:00:00Z"}
        elif self.path in ("/v1/token", "/token"):
            text = {"access_token": "ya29.source", "expires_in": 3599, "token_type": "Bearer",
                    "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}
        else:
            text = [{"result": {"aggregateFields": {"n": {"integerValue": "7"}}}, "readTime": "2026-01-01T00:00:00Z"}]
        self.respond(200, json.dumps(text).encode())

    do_GET = do_POST = answer


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def body_of(kind, body):
    """The fields of a body, with what differs on purpose or by the clock made the same."""
    if not body:
        return {}
    if kind.startswith("application/x-www-form-urlencoded"):
        fields = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        if "assertion" in fields:
            header, claims, _ = fields["assertion"].split(".")
            claims = decoded(claims)
            claims["lifetime"] = claims.pop("exp") - claims.pop("iat")
            fields["assertion"] = [decoded(header), claims]
        if "options" in fields:
            fields["options"] = json.loads(urllib.parse.unquote(fields["options"]))
    else:
        fields = json.loads(body)
        fields["delegates"] = fields["delegates"] or []
    return json.loads(json.dumps(fields).replace(IAM + '"', CLOUD_PLATFORM + '"'))


def steps(found):
    """The requests up to the token, as far as they mean something."""
    kept = []
    for method, path, headers, body in found:
        headers = {name.lower(): value for name, value in headers.items()}
        if path.startswith("/v1/projects/p/"):
            break
        means = {name: headers.get(name) for name in ("authorization", "x-goog-user-project", "metadata-flavor", "x-custom")}
        means["type"] = headers.get("content-type", "").split(";")[0] if body else ""
        kept.append([method, path, means, body_of(means["type"], body)])
    return kept


def googles(information):
    """The credentials that `google.auth.default` makes of a file, without its look-up of the project."""
    if information["type"] == "impersonated_service_account":
        credentials = impersonated_credentials.Credentials.from_impersonated_service_account_info(information, scopes=[DATASTORE])
        # It does not take the address in the file.
        credentials._iam_endpoint_override = information["service_account_impersonation_url"]
        return credentials
    kind = pluggable if "executable" in information["credential_source"] else identity_pool
    return kind.Credentials.from_info(information, scopes=[DATASTORE])


def compare(name, information, server, folder):
    global failed
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w") as file:
        json.dump(information, file)
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"}
    os.environ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = "1"
    log = os.path.join(folder, "variables")

    def variables():
        if not os.path.exists(log):
            return None
        with open(log) as file:
            lines = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        os.unlink(log)
        return {name: lines.get(f"GOOGLE_EXTERNAL_ACCOUNT_{name}") for name in VARIABLES}

    exchanges.clear()
    credentials = googles(information)
    credentials.refresh(google.auth.transport.requests.Request())
    theirs, their_variables, their_token = steps(exchanges), variables(), credentials.token
    exchanges.clear()
    result = subprocess.run(
        [binary, "count", "users", "--project", "p", "--endpoint", server, "--credentials", path, "--retry-for", "1"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
    )
    ours, our_variables = steps(exchanges), variables()
    signed = [headers.get("Authorization") for _, path, headers, _ in exchanges if path.startswith("/v1/projects/p/")]
    problems = []
    if result.returncode != 0 or "7" not in result.stdout:
        problems.append(f"it ended in {result.returncode}: {result.stderr}")
    if not theirs:
        problems.append("google-auth sent nothing")
    if ours != theirs:
        problems.append(f"google-auth sent\n    {json.dumps(theirs)}\nand we sent\n    {json.dumps(ours)}")
    if our_variables != their_variables:
        problems.append(f"a program got {our_variables}, from google-auth {their_variables}")
    if not signed or any(header != f"Bearer {their_token}" for header in signed):
        problems.append(f"the call was signed by {signed}")
    failed = failed or bool(problems)
    print(f"{'WRONG' if problems else 'same '} {name}: {len(theirs)} requests")
    for problem in problems:
        print(f"  {problem}")


def cases(server, folder):
    def external(source, audience=WORKLOAD, **more):
        return {"type": "external_account", "audience": audience, "token_url": f"{server}/v1/token",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "credential_source": source, **more}

    url = f"{server}/v1/projects/-/serviceAccounts/{EXPORTER}:generateAccessToken"
    with open(f"{folder}/token", "w") as file:
        file.write("eyJ.text.x")
    with open(f"{folder}/token.json", "w") as file:
        json.dump({"id": "eyJ.json.x"}, file)
    with open(f"{folder}/program", "w") as file:
        file.write(
            "#!/bin/sh\nenv >\"$1\"\necho '" + json.dumps({
                "version": 1, "success": True, "token_type": "urn:ietf:params:oauth:token-type:jwt", "id_token": "eyJ.program.x",
            }) + "'\n"
        )
    os.chmod(f"{folder}/program", 0o700)
    text = {"file": f"{folder}/token"}
    yield "file-text", external(text)
    yield "file-json", external({"file": f"{folder}/token.json", "format": {"type": "json", "subject_token_field_name": "id"}})
    address = {
        "url": f"{server}/identity?audience=a%2Fb&x=1", "headers": {"Authorization": "Bearer runner", "X-Custom": "a b"},
        "format": {"type": "json", "subject_token_field_name": "value"},
    }
    yield "address", external(address)
    yield "address-impersonating", external(
        address, service_account_impersonation_url=url, quota_project_id="payer",
        service_account_impersonation={"token_lifetime_seconds": 1234},
    )
    yield "file-impersonating", external(text, service_account_impersonation_url=url)
    yield "workforce", external(text, WORKFORCE, workforce_pool_user_project="payer")
    yield "client", external(text, WORKFORCE, workforce_pool_user_project="payer", client_id="id", client_secret="se/cr et")
    yield "client-without-secret", external(text, client_id="id")
    command = f"{folder}/program {folder}/variables"
    yield "program", external({"executable": {"command": command, "timeout_millis": 10000}})
    yield "program-with-file", external({"executable": {"command": command, "output_file": f"{folder}/kept.json"}})
    key = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], check=True, capture_output=True,
    ).stdout.decode()
    account = {"type": "service_account", "client_email": "sa@p.iam.gserviceaccount.com", "private_key": key,
               "private_key_id": "k1", "project_id": "p", "token_uri": f"{server}/token"}
    names = [f"projects/-/serviceAccounts/{name}@p.iam.gserviceaccount.com" for name in ("first", "second")]
    for delegates in ([], names):
        yield f"impersonated-through-{len(delegates)}", {
            "type": "impersonated_service_account", "source_credentials": account, "delegates": delegates,
            "service_account_impersonation_url": url,
        }


def main():
    server = Server(Recorder).endpoint
    with tempfile.TemporaryDirectory() as folder:
        for name, information in cases(server, folder):
            compare(name, information, server, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
