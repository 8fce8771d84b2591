"""Checks up to 500 URLs, domains and digests in one call."""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

DEFAULT = os.environ.get("WEIR", "http://127.0.0.1:8080")
WEIR = sys.argv[1] if len(sys.argv) > 1 else DEFAULT

question = {
    "urls": ["https://found.weir.test/login", "https://shared.weir.test/"],
    "domains": ["suspicious.weir.test", "clean.weir.test", "not a name"],
}
request = Request(
    f"{WEIR}/api/v1/check/bulk",
    data=json.dumps(question).encode(),
    headers={"Content-Type": "application/json"},
)
try:
    with urlopen(request, timeout=10) as response:
        answer = json.load(response)
except HTTPError as error:
    sys.exit(json.load(error)["detail"])

# The answers are in the order of the items; an item that cannot be parsed is "invalid".
for item in answer["urls"] + answer["domains"]:
    print(f"{item['value']}: {item['status']}")
