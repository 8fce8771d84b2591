"""Syncs a copy of the block list. Run it every few minutes."""

import hashlib
import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

DEFAULT = os.environ.get("WEIR", "http://127.0.0.1:8080")
WEIR = sys.argv[1] if len(sys.argv) > 1 else DEFAULT
FILE = os.environ.get("WEIR_COPY", "weir-copy-py.json")


def get(path, query):
    """Waits as long as the server asks if the limit is exhausted."""
    for _ in range(5):
        try:
            address = f"{WEIR}{path}?{urlencode(query)}"
            with urlopen(address, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            if error.code not in (429, 503):
                sys.exit(json.load(error)["detail"])
            time.sleep(int(error.headers.get("Retry-After", "1")))
    sys.exit(f"{path} stays busy")


def set_hash(domains):
    """XOR of the first 16 bytes of the SHA-256 of every domain."""
    total = 0
    for domain in domains:
        digest = hashlib.sha256(domain.encode()).digest()
        total ^= int.from_bytes(digest[:16], "big")
    return f"{total:032x}"


def follow(copy):
    """Follows the feed to its end; False if the copy must be rebuilt."""
    entries = copy["entries"]
    while True:
        query = {"cursor": copy["cursor"], "limit": 10000}
        changes = get("/api/v1/blacklist/changes", query)
        if changes["resync"]:
            return False
        for removal in changes["removed"]:
            entries.pop(removal["domain"], None)
        for entry in changes["added"]:
            entries[entry["domain"]] = entry
        copy["cursor"] = changes["cursor"]
        if not changes["more"]:
            return set_hash(entries) == changes["set_hash"]


copy = {"cursor": "begin", "entries": {}}
if os.path.exists(FILE):
    with open(FILE, encoding="utf-8") as file:
        copy = json.load(file)
for _ in range(4):
    if follow(copy):
        break
    copy = {"cursor": "begin", "entries": {}}
else:
    sys.exit("the copy does not match the list")

# Renamed, so that readers never see half a copy.
with open(f"{FILE}.new", "w", encoding="utf-8") as file:
    json.dump(copy, file)
os.replace(f"{FILE}.new", FILE)
entries = copy["entries"]
print(f"in sync: {len(entries)} domains, set_hash {set_hash(entries)}")
