// Receives webhooks at http://127.0.0.1:PORT/webhooks, verifies them and handles each event once.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.TOSTAO_WEBHOOK_SECRET ?? "";
const key = Buffer.from(secret.replace("whsec_", ""), "base64");
const BODY_BYTES_MAX = 1024 * 1024;
const IDS_MAX = 10_000;
// A real program inserts the id into its database, in the same transaction as the event's effect.
const handledIds = new Set();

function findFault(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given } = headers;
  if (!id || !time || !given) return "a webhook header is missing";
  const isRecent = Math.abs(Date.now() / 1000 - Number(time)) <= 60;
  if (!isRecent) return "webhook-timestamp is not within 60 s of this clock";
  const hmac = createHmac("sha256", key).update(`${id}.${time}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest("base64")}`);
  const matches = (one) => one.length === expected.length && timingSafeEqual(one, expected);
  const signatures = given.split(" ").map((one) => Buffer.from(one));
  return signatures.some(matches) ? null : "no signature matches this body and secret";
}

function handle({ id, event }) {
  if (handledIds.has(id)) return console.error(`repeated ${event} ${id}`);
  console.log(`verified ${event} ${id}`);
  handledIds.add(id);
  // A set keeps the order of insertion, so the first id is the oldest.
  if (handledIds.size > IDS_MAX) handledIds.delete(handledIds.values().next().value);
}

async function answer(request) {
  if (request.url.split("?")[0] !== "/webhooks") return [404, "the path is /webhooks"];
  if (request.method !== "POST") return [405, "the method is POST"];
  let body = Buffer.alloc(0);
  for await (const chunk of request) {
    // What exceeds the limit is read and dropped: most senders read the answer only afterwards.
    if (body.length <= BODY_BYTES_MAX) body = Buffer.concat([body, chunk]);
  }
  if (body.length > BODY_BYTES_MAX) return [413, "the body exceeds 1 MiB"];
  const fault = findFault(request.headers, body);
  if (fault) return [400, fault];
  handle(JSON.parse(body));
  return [204];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (key.length < 24) fail("Set TOSTAO_WEBHOOK_SECRET to the webhook's secret, whsec_…");
const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
  const [status, reason] = await answer(request).catch((error) => [500, error.message]);
  if (reason) console.error(`refused with ${status}: ${reason}`);
  response.writeHead(status, status === 405 ? { Allow: "POST" } : {}).end(reason);
});
server.on("error", (error) => fail(error.message));
server.listen(process.env.PORT ?? 3000, "127.0.0.1", () => console.error("Waiting for events."));
