"""Prints the block list, one domain per line: follows next_cursor."""

import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

DEFAULT = os.environ.get("WEIR", "http://127.0.0.1:8080")
WEIR = sys.argv[1] if len(sys.argv) > 1 else DEFAULT


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


query = {"limit": 1000}
while True:
    page = get("/api/v1/blacklist", query)
    for entry in page["domains"]:
        # Shared platforms are listed for information, not to be blocked.
        if not entry["do_not_block"]:
            print(entry["domain"])
    if page["next_cursor"] is None:
        break
    query["cursor"] = page["next_cursor"]
