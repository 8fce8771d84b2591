#!/bin/sh
# Shows what was added to the list and removed since the last call. The
# cursor is kept in a file; the first calls return the whole list.
set -eu
WEIR=${1:-${WEIR:-http://127.0.0.1:8080}}
COPY=${WEIR_COPY:-weir-cursor.txt}

cursor=$(cat "$COPY" 2>/dev/null || echo begin)
answer=$(curl -fsS --compressed --retry 3 \
  "$WEIR/api/v1/blacklist/changes?cursor=$cursor&limit=10000")
printf '%s\n' "$answer"
cursor=$(printf '%s' "$answer" | sed -n 's/.*"cursor":"\([^"]*\)".*/\1/p')
case $answer in
  *'"resync":true'*) cursor=begin ;; # empty your copy as well
esac
printf '%s\n' "$cursor" > "$COPY"
