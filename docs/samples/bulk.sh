#!/bin/sh
# Checks up to 500 URLs, domains and digests in one call.
WEIR=${1:-${WEIR:-http://127.0.0.1:8080}}

curl -sS --fail-with-body --retry 3 "$WEIR/api/v1/check/bulk" \
  -H 'content-type: application/json' -d '{
    "urls": ["https://found.weir.test/login", "https://shared.weir.test/"],
    "domains": ["suspicious.weir.test", "clean.weir.test", "not a name"]
  }'
