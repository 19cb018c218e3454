#!/bin/sh
# Creates one PIX charge of R$ 49,90, however often its request has to be sent.
set -eu

server=${TOSTAO_SERVER:-http://127.0.0.1:8080}
attempts=5
# A real program stores key and body before it sends them, to have them after a crash.
key="charge-$(date +%s)-$$"
customer='{"name":"Fulano de Tal","email":"fulano@example.com"}'
body="{\"method\":\"PIX\",\"amountCents\":4990,\"customer\":$customer}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints a text field of the answer, the first of this name. Where `jq` is installed, use that.
field() {
  grep -oE "\"$1\": *\"([^\"\\\\]|\\\\.)*\"" "$folder/body" | head -n 1 |
    sed 's/^[^:]*: *"//; s/"$//'
}

# Without a complete answer the status is 000.
send() {
  : > "$folder/body"
  : > "$folder/headers"
  status=$(curl -sS --max-time 5 -D "$folder/headers" -o "$folder/body" \
    -w '%{http_code}' "$server/api/v1/transactions" -d "$body" \
    -H "API-Key: ${TOSTAO_API_KEY:-}" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: $key") || status=000
  code=$(field code)
}

# Every other 409 is final: the same request gets it again.
is_transient() {
  case "$status $code" in
    000* | 429* | 5* | '409 IDEMPOTENCY_KEY_IN_PROGRESS' | '409 CONCURRENT_UPDATE') true ;;
    *) false ;;
  esac
}

attempt=1
pause=1
send
while [ "$attempt" -lt "$attempts" ] && is_transient; do
  asked=$(sed -n 's/^[Rr]etry-[Aa]fter: \([0-9]*\).*/\1/p' "$folder/headers")
  wait=$((${asked:-0} > pause ? asked : pause))
  echo "attempt $attempt: ${code:-status $status}; the next in $wait s" >&2
  sleep "$wait"
  attempt=$((attempt + 1))
  pause=$((pause * 2))
  send
done

if [ "$status" != 201 ]; then
  echo "${code:-status $status}: $(field message) (request $(field requestId))" >&2
  exit 1
fi
# What stands before the transaction is cut off, so that the first id is its own.
sed 's/.*"transaction": *{//' "$folder/body" > "$folder/transaction"
mv "$folder/transaction" "$folder/body"
echo "transaction $(field id)"
echo "pix $(field brCode)"
