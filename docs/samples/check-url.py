"""Checks a URL."""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

DEFAULT = os.environ.get("WEIR", "http://127.0.0.1:8080")
WEIR = sys.argv[1] if len(sys.argv) > 1 else DEFAULT

query = urlencode({"url": "hxxps://found.weir[.]test/login?a=1&b=2"})
try:
    with urlopen(f"{WEIR}/api/check-url?{query}", timeout=10) as response:
        answer = json.load(response)
except HTTPError as error:
    sys.exit(json.load(error)["detail"])

print(f"{answer['url']}: {answer['status']}")
for reason in answer["reasons"]:
    print(f"  {reason['code']}: {reason['message']}")
