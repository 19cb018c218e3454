// People who sign in to the dashboard, by the form and by a second step.
import { createHmac } from "node:crypto";

import { PASSWORD } from "./api.mjs";

/** Signs in by the form, in the place of the person who was signed in. */
export async function signIn(visit, email) {
  const { page, world } = visit;
  await page.context().clearCookies({ name: "__Host-tostao" });
  await visit.open(`${world.server.base}/sign-in`);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("main form button").click();
  await page.locator(".mode-bar").waitFor();
}

/** The code that an authenticator app shows now (RFC 6238). */
export function code(secret) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((one) => letters.indexOf(one).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const tag = createHmac("sha1", key).update(step).digest();
  const number = tag.readUInt32BE(tag[19] & 0x0f) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
