// Those outside: the simulated bank as it writes to the server, and an acquirer that answers it.
import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

import { SECRET } from "./server.mjs";

const SIGNATURE = "x-sandbox-signature";

/** Has the simulated bank report a PIX for a charge that is not there. */
export async function payUnknown(base, amount) {
  const at = new Date().toISOString();
  const minute = at.replaceAll(/\D/gu, "").slice(0, 12);
  const letters = randomBytes(6).toString("hex").slice(0, 11);
  const payment = {
    endToEndId: `E12345678${minute}${letters}`, txid: "0".repeat(32), valor: amount, horario: at,
  };
  const body = JSON.stringify({ pix: [payment] });
  const key = Buffer.from(hkdfSync("sha256", SECRET, "tostao", "sandbox bank", 32));
  const signature = createHmac("sha256", key).update(body).digest("base64");
  const headers = { "content-type": "application/json", [SIGNATURE]: signature };
  const reply = await fetch(`${base}/providers/sandbox/pix`, { method: "POST", headers, body });
  if (!reply.ok) throw new Error(`the notice was answered ${reply.status}: ${await reply.text()}`);
}

/** Starts what speaks enough of Pagar.me's API to be connected; its list has a strange entry. */
export async function startAcquirer() {
  const answers = { "/core/v5/orders": { data: [{ strange: true }] } };
  const server = createServer((request, reply) => {
    const { pathname } = new URL(request.url, "http://acquirer.example");
    const known = pathname.startsWith("/core/v5/tokens/") ? 404 : 200;
    reply.writeHead(known, { "content-type": "application/json" });
    reply.end(JSON.stringify(answers[pathname] ?? { data: [], message: "none" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}
