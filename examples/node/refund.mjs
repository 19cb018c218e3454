// Refunds a transaction in full, then repeats the request: it is the same refund.

import { randomUUID } from "node:crypto";

const server = process.env.TOSTAO_SERVER ?? "http://127.0.0.1:8080";
const apiKey = process.env.TOSTAO_API_KEY ?? "";

async function refund(transactionId, idempotencyKey) {
  const path = `/api/v1/transactions/${encodeURIComponent(transactionId)}/refund`;
  const response = await fetch(server + path, {
    method: "POST",
    headers: {
      "API-Key": apiKey,
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey,
    },
    body: JSON.stringify({ reason: "Returned by the customer" }),
  });
  // A proxy in front of the server may answer something other than JSON.
  const answer = await response.json().catch(() => ({}));
  if (response.status !== 201) throw new Error(explain(response.status, answer));
  const replayed = response.headers.get("idempotency-replayed") === "true";
  return { ...answer.refund, replayed };
}

function explain(status, { code, message, requestId }) {
  return `${code ?? status}: ${message ?? "no message"} (request ${requestId ?? "unknown"})`;
}

async function refundAndRepeat(transactionId) {
  // A real program stores the key before it sends the request, to have it after a crash.
  const idempotencyKey = randomUUID();
  const first = await refund(transactionId, idempotencyKey);
  console.log(`refund ${first.id} ${first.status}`);
  const second = await refund(transactionId, idempotencyKey);
  if (second.id !== first.id || !second.replayed) throw new Error("That was a second refund.");
  console.log(`replay ${second.id} ${second.status}`);
}

const transactionId = process.argv[2];
if (!transactionId) {
  console.error("usage: node refund.mjs TRANSACTION_ID");
  process.exit(2);
}
try {
  await refundAndRepeat(transactionId);
} catch (error) {
  console.error(error.cause?.code ?? error.message);
  process.exitCode = 1;
}
