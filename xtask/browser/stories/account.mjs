// A person's account in the dashboard: the second step, the team, the history.
import { createHmac } from "node:crypto";

import { PASSWORD, Shop } from "../shop.mjs";

export const stories = [
  ["an account on a phone", { width: 360 }, secure],
];

async function secure(visit) {
  const { page, world } = visit;
  const { base } = world.server;
  const shop = await Shop.open(base);
  await visit.open(`${base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("main form button").click();
  await page.locator(`a[href="/account/profile"]`).waitFor({ state: "attached" });
  for (const name of ["profile", "profile/email", "business", "business/edit", "notifications", "audit"]) {
    await visit.open(`${base}/account/${name}`);
    await visit.checkDesk(`account-${name.replace("/", "-")}`);
  }
  await visit.open(`${base}/account/team/invite`);
  await page.locator("#email").fill("bia@example.com");
  await page.locator("main form.fields button").click();
  // Without a second step the form waits until there is one.
  await page.locator(`a[href^="/account/security/second-step"]`).waitFor();
  await visit.checkDesk("account-refused");
  await page.locator(`a[href^="/account/security/second-step"]`).click();
  await page.locator(`form[action$="/second-step"]`).waitFor();
  await visit.checkDesk("account-second-step");
  await page.locator("#password").fill(PASSWORD);
  await page.locator(`form[action$="/second-step"] button`).click();
  const secret = await page.locator("#secret").innerText();
  await visit.checkDesk("account-enrollment");
  await page.locator("#code").fill(code(secret));
  await page.locator(`form[action$="/confirm"] button`).click();
  await page.locator("#codes").waitFor();
  await visit.checkDesk("account-codes");
  await page.locator("a.action.main").click();
  await page.locator(`form[action$="/invite"]`).waitFor();
  await visit.checkDesk("account-invite");
  await page.locator(`form[action$="/invite"] button`).click();
  await page.locator("a.action.main").click();
  await page.locator("#roles").waitFor();
  await visit.checkDesk("account-team");
  await page.locator(`a[href*="/invitations/"]`).click();
  await page.locator(`form[action$="/resend"]`).waitFor();
  await visit.checkDesk("account-invitation");
  await visit.open(`${base}/account/security`);
  await visit.checkDesk("account-security");
  for (const name of ["backup-codes", "password", "second-step/remove"]) {
    await visit.open(`${base}/account/security/${name}`);
    await visit.checkDesk(`account-security-${name.replace("/", "-")}`);
  }
}

/** The code that an authenticator app shows now (RFC 6238). */
function code(secret) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((one) => letters.indexOf(one).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const tag = createHmac("sha1", key).update(step).digest();
  const number = tag.readUInt32BE(tag[19] & 0x0f) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
