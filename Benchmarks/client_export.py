#!/usr/bin/env python3
"""What one writes with Google's own client: google-cloud-firestore over REST, stream(), csv.

    client_export.py http://HOST:PORT COLLECTION FILE.csv DOCUMENTS
"""

import csv
import sys

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreRestTransport


def main(endpoint, collection, path, count):
    scheme, host = endpoint.split("://")
    transport = FirestoreRestTransport(host=host, url_scheme=scheme, credentials=AnonymousCredentials())
    client = firestore.Client(project="bench-project", database="bench", credentials=AnonymousCredentials())
    # The high-level client over the REST transport: its own constructor only knows gRPC.
    client._firestore_api_internal = FirestoreClient(transport=transport)
    rows, names = [], {}
    for document in client.collection(collection).stream():
        row = document.to_dict()
        row["__name__"] = document.id
        names.update(dict.fromkeys(row))
        rows.append(row)
    if len(rows) != count:
        sys.exit(f"The client read {len(rows)} documents of {count}.")
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(names))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
