// What time does to a code: the countdown, the expiry, and the next code.
import assert from "node:assert/strict";

import { Shop } from "../shop.mjs";
import { paymentId, reachCode } from "../steps.mjs";

const HOUR = 3_600;

export const stories = [
  ["an expired code gives way to a new one by itself", { width: 360 }, renew],
  ["an expired code gives way to a new one on a wide screen", { width: 1280, lang: "en" }, renew],
  ["an expired code gives way to a new one without scripts", { width: 1280, script: false }, renew],
  ["the countdown speaks at five minutes and at one", { width: 360 }, countDown],
];

/** A shop of its own, because its clock goes ahead of the others'. */
async function timeless(visit) {
  const shop = await Shop.open(visit.world.server.base);
  const link = await shop.link({ title: "Café especial 250 g", amountCents: 4_990 });
  return { shop, link };
}

async function renew(visit) {
  const { words } = visit;
  const { shop, link } = await timeless(visit);
  const old = await reachCode(visit, link);
  await shop.advance(HOUR + 1);
  if (!visit.buyer.script) await visit.link(words.refresh).click();
  await visit.arrive(words.expired);
  await visit.check("expired");
  await visit.button(words.newCode).click();
  await visit.arrive(words.pay);
  const next = paymentId(visit);
  assert.notEqual(next, old);
  await shop.confirm(next);
  if (!visit.buyer.script) await visit.link(words.refresh).click();
  await visit.arrive(words.paid);
}

async function countDown(visit) {
  const { page, words } = visit;
  const { link } = await timeless(visit);
  await page.clock.install();
  await reachCode(visit, link);
  const notice = (text) => page.locator("#time-notice").filter({ hasText: text }).waitFor();
  await page.clock.fastForward("55:00");
  await notice(words.fiveMinutes);
  await page.clock.fastForward("04:00");
  await notice(words.oneMinute);
  const reloaded = page.waitForEvent("load");
  await page.clock.fastForward("01:05");
  await reloaded;
  await visit.arrive(words.pay);
}
