#!/bin/sh
# Checks a URL. curl encodes it, because a bare "&" in it would end the
# parameter.
WEIR=${1:-${WEIR:-http://127.0.0.1:8080}}

curl -sS --fail-with-body --retry 3 -G "$WEIR/api/check-url" \
  --data-urlencode 'url=hxxps://found.weir[.]test/login?a=1&b=2'
