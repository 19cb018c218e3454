// Subscribing on a plan's page, and what a subscriber does on his own.
import assert from "node:assert/strict";

import { SIZES } from "../chromium.mjs";
import { changeLanguage, fill, paymentId, sendRefused } from "../steps.mjs";
import { giveCard } from "./methods.mjs";

const NAME = "Clube do Café";
const PLAN = {
  name: NAME,
  description: "Um café diferente por mês, torrado na semana do envio.",
  amountCents: 104_990,
  interval: "MONTHLY",
};

const BUYERS = Object.keys(SIZES).map(Number)
  .flatMap((width) => [true, false].map((script) => ({ width, script })));

export const stories = BUYERS.flatMap((buyer) => {
  const how = `at ${buyer.width} px, ${buyer.script ? "with" : "without"} scripts`;
  return [
    [`a subscription by card, and its end ${how}`, buyer, byCard],
    [`a subscription by PIX ${how}`, buyer, byPix],
    [`a subscription with a trial ${how}`, buyer, withTrial],
  ];
});

async function byCard(visit, { shop }) {
  const { page, words } = visit;
  const plan = await shop.plan(PLAN);
  await visit.open(plan.url);
  await visit.check("plan");
  await changeLanguage(visit);
  await page.getByRole("radio", { name: "PIX" }).check();
  await sendRefused(visit);
  await visit.check("plan-refused");
  await fill(visit);
  await page.getByRole("radio", { name: words.card }).check();
  await visit.button(words.cardGo).click();
  await giveCard(visit, "plan-card", words.cardPay, words.cardConfirm);
  await visit.arrive(NAME);
  await page.getByText(words.subscribed, { exact: true }).waitFor();
  await visit.check("own");
  await changeLanguage(visit);
  assert.equal((await only(shop, plan)).status, "ACTIVE");
  await visit.link(words.cancel).click();
  await visit.arrive(words.cancelQuestion);
  await visit.check("cancel");
  await page.locator("#reason").fill("Vou viajar.");
  await visit.button(words.cancel).click();
  await page.getByText(words.ends, { exact: true }).waitFor();
  await visit.check("own-ending");
  await visit.link(words.cancel).click();
  await visit.button(words.cancel).click();
  await page.locator("a[href^='/subscribe/']").waitFor();
  await visit.check("own-cancelled");
  assert.equal((await only(shop, plan)).status, "CANCELLED");
}

async function byPix(visit, { shop }) {
  const { page, words } = visit;
  const plan = await shop.plan(PLAN);
  await visit.open(plan.url);
  await fill(visit);
  await page.getByRole("radio", { name: "PIX" }).check();
  await visit.check("plan-pix");
  await visit.button(words.generate).click();
  await visit.arrive(words.pay);
  await visit.check("plan-code");
  await shop.confirm(paymentId(visit));
  if (!visit.buyer.script) await visit.link(words.refresh).click();
  await visit.arrive(words.paid);
  await visit.check("plan-receipt");
  await visit.link(words.mySubscription).click();
  await visit.arrive(NAME);
  await visit.check("own-pix");
  assert.equal((await only(shop, plan)).status, "ACTIVE");
}

async function withTrial(visit, { shop }) {
  const { page, words } = visit;
  const plan = await shop.plan({ ...PLAN, trialDays: 7 });
  await visit.open(plan.url);
  await page.getByText(words.trial, { exact: true }).waitFor();
  await visit.check("trial");
  await fill(visit);
  await page.getByRole("radio", { name: words.card }).check();
  await visit.button(words.cardGo).click();
  await giveCard(visit, "trial-card", words.trialGo, words.trialWithCard);
  await visit.arrive(NAME);
  await page.getByText(words.trialing, { exact: true }).waitFor();
  await visit.check("own-trial");
  const { status, pendingTransactionId } = await only(shop, plan);
  assert.deepEqual([status, pendingTransactionId], ["TRIALING", null]);
}

async function only(shop, plan) {
  const subscriptions = await shop.subscriptions(plan.id);
  assert.equal(subscriptions.length, 1);
  return subscriptions[0];
}
