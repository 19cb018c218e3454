// Creates one PIX charge of R$ 49,90, however often its request has to be sent.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const server = process.env.TOSTAO_SERVER ?? "http://127.0.0.1:8080";
const apiKey = process.env.TOSTAO_API_KEY ?? "";
const [ATTEMPTS, TIMEOUT_MS] = [5, 5_000];
// Every other 409 is final: the same request gets it again.
const RETRIED_CONFLICTS = ["IDEMPOTENCY_KEY_IN_PROGRESS", "CONCURRENT_UPDATE"];

async function send(idempotencyKey, body) {
  const headers = { "API-Key": apiKey, "Content-Type": "application/json" };
  headers["Idempotency-Key"] = idempotencyKey;
  const request = { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const response = await fetch(`${server}/api/v1/transactions`, request);
    const retryAfter = Number(response.headers.get("retry-after")) || 0;
    return { status: response.status, retryAfter, answer: parse(await response.text()) };
  } catch (error) {
    const answer = { code: "no answer", message: error.cause?.code ?? error.message };
    return { status: 0, retryAfter: 0, answer };
  }
}

// A proxy in front of the server may answer something other than JSON.
function parse(text) {
  try { return JSON.parse(text); } catch { return { message: "no readable answer" }; }
}

function isTransient(status, code) {
  if (status === 409) return RETRIED_CONFLICTS.includes(code);
  return status === 0 || status === 429 || status >= 500;
}

async function charge(idempotencyKey, body) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, retryAfter, answer } = await send(idempotencyKey, body);
    if (status === 201) return answer.transaction;
    const { code = status, message, requestId = "unknown" } = answer;
    const problem = `${code}: ${message} (request ${requestId})`;
    if (attempt === ATTEMPTS || !isTransient(status, code)) throw new Error(problem);
    // The random part keeps many clients from coming back at the same moment.
    const seconds = Math.max(retryAfter, 2 ** (attempt - 1)) + Math.random();
    console.error(`attempt ${attempt}: ${problem}; the next in ${seconds.toFixed(1)} s`);
    await sleep(seconds * 1_000);
  }
}

const customer = { name: "Fulano de Tal", email: "fulano@example.com" };
try {
  // A real program stores key and body before it sends them, to have them after a crash.
  const body = JSON.stringify({ method: "PIX", amountCents: 4990, customer });
  const { id, pix } = await charge(randomUUID(), body);
  console.log(`transaction ${id}\npix ${pix.brCode}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
