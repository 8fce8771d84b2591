#!/bin/sh
# Prints the block list, one domain per line: follows the Link header.
set -eu
WEIR=${1:-${WEIR:-http://127.0.0.1:8080}}

headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
page="$WEIR/api/v1/blacklist?format=txt&limit=1000"
while [ -n "$page" ]; do
  # Over the limit, --retry waits as long as Retry-After says.
  curl -fsS --compressed --retry 3 -D "$headers" "$page"
  page=$(tr -d '\r' < "$headers" |
    sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p')
done
