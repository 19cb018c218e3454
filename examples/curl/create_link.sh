#!/bin/sh
# Creates a payment link for R$ 49,90 and prints its URL.
set -eu

server=${TOSTAO_SERVER:-http://127.0.0.1:8080}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints a text field of the answer, the first of this name. Where `jq` is installed, use that.
field() {
  grep -oE "\"$1\": *\"([^\"\\\\]|\\\\.)*\"" "$folder/body" | head -n 1 |
    sed 's/^[^:]*: *"//; s/"$//'
}

status=$(curl -sS -o "$folder/body" -w '%{http_code}' "$server/api/v1/payment-links" \
  -H "API-Key: ${TOSTAO_API_KEY:-}" -H 'Content-Type: application/json' \
  -d '{"title":"Café em grãos, 250 g","amountCents":4990}')

if [ "$status" != 201 ]; then
  code=$(field code)
  echo "${code:-status $status}: $(field message) (request $(field requestId))" >&2
  exit 1
fi
field url
