#!/bin/sh
# Refunds a transaction in full, then repeats the request: it is the same refund.
set -eu

server=${TOSTAO_SERVER:-http://127.0.0.1:8080}
transaction=${1:?TRANSACTION_ID is missing: sh refund.sh TRANSACTION_ID}
# A real program stores the key before it sends the request, to have it after a crash.
key="refund-$(date +%s)-$$"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints a text field of the answer, the first of this name. Where `jq` is installed, use that.
field() {
  grep -oE "\"$1\": *\"([^\"\\\\]|\\\\.)*\"" "$folder/body" | head -n 1 |
    sed 's/^[^:]*: *"//; s/"$//'
}

refund() {
  status=$(curl -sS -D "$folder/headers" -o "$folder/body" -w '%{http_code}' \
    "$server/api/v1/transactions/$transaction/refund" \
    -H "API-Key: ${TOSTAO_API_KEY:-}" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: $key" -d '{"reason":"Returned by the customer"}')
  if [ "$status" != 201 ]; then
    code=$(field code)
    echo "${code:-status $status}: $(field message) (request $(field requestId))" >&2
    exit 1
  fi
  # The transaction in the answer has an id and a status, too.
  sed 's/.*"refund": *{//' "$folder/body" > "$folder/refund"
  mv "$folder/refund" "$folder/body"
}

refund
first=$(field id)
echo "refund $first $(field status)"

refund
if [ "$(field id)" != "$first" ] || ! grep -qi '^idempotency-replayed: true' "$folder/headers"; then
  echo 'That was a second refund.' >&2
  exit 1
fi
echo "replay $(field id) $(field status)"
