// What a coupon changes on the form, in place: the total, the installments, the ways to pay.
import assert from "node:assert/strict";

import { fill, paymentId } from "../steps.mjs";
import { SIZES } from "../chromium.mjs";
import { press, type } from "./keyboard.mjs";
import { giveCard } from "./methods.mjs";

const BUYERS = Object.keys(SIZES).map(Number)
  .flatMap((width) => [true, false].map((script) => ({ width, script })));

export const stories = [
  ...BUYERS.flatMap((buyer) => {
    const how = `at ${buyer.width} px, ${buyer.script ? "with" : "without"} scripts`;
    return [
      [`a purchase in installments with a coupon ${how}`, buyer, inParts],
      [`a coupon that leaves nothing to pay ${how}`, buyer, forNothing],
    ];
  }),
  ["what is chosen while a coupon is tried stays chosen", { width: 360 }, chooseMeanwhile],
];

async function inParts(visit, { shop, parts }) {
  const { page, words } = visit;
  const choice = page.getByRole("combobox", { name: words.installments, exact: true });
  const row = (text) => choice.locator("option").filter({ hasText: text });
  await visit.open(parts.url);
  await fill(visit);
  await page.getByRole("radio", { name: words.card }).check();
  await page.getByText(words.upToTwelve).waitFor();
  await row(words.threeParts).waitFor({ state: "attached" });
  await visit.check("parts");
  await tryCoupon(visit, "QUASE", words.almostFree);
  await choice.waitFor({ state: "detached" });
  await page.getByText(words.upToTwelve).waitFor({ state: "detached" });
  await visit.check("parts-none");
  await tryCoupon(visit, "", words.fullPrice);
  await row(words.threeParts).waitFor({ state: "attached" });
  await page.getByRole("radio", { name: words.card }).focus();
  await type(visit, "installments", "3");
  await tryCoupon(visit, "CEM", words.price);
  await row(words.threePartsLess).waitFor({ state: "attached" });
  assert.equal(await choice.inputValue(), "3");
  await visit.check("parts-less");
  await visit.button(words.cardGo).click();
  await page.getByText(words.threePartsLess).waitFor();
  await giveCard(visit, "parts-card", words.cardPay, words.cardConfirm);
  await visit.arrive(words.paid);
  await visit.check("receipt-parts");
  const { status, installments } = await shop.transaction(paymentId(visit));
  assert.deepEqual([status, installments], ["PAID", 3]);
}

async function forNothing(visit, { parts }) {
  const { page, words } = visit;
  await visit.open(parts.url);
  await fill(visit);
  await tryCoupon(visit, "TUDO", words.allFree);
  await page.getByRole("radio").first().waitFor({ state: "detached" });
  await visit.check("nothing-to-pay");
  await tryCoupon(visit, "", words.fullPrice);
  await page.getByRole("radio", { name: words.boleto }).check();
  await visit.button(words.boletoGo).waitFor();
  await tryCoupon(visit, "TUDO", words.allFree);
  await visit.button(words.finish).click();
  await visit.arrive(words.paid);
  await visit.check("receipt-nothing");
}

async function chooseMeanwhile(visit, { parts }) {
  const { page, words } = visit;
  await visit.open(parts.url);
  let answer;
  const asked = new Promise((resolve) => page.route(parts.url, resolve));
  await page.getByText(words.coupon).click();
  await page.locator("#coupon").fill("CEM");
  await visit.button(words.apply).click();
  const route = await asked;
  await page.getByRole("radio", { name: words.card }).check();
  await type(visit, "installments", "3");
  await route.continue();
  await told(visit, words.price);
  await page.locator("#installments:focus").waitFor();
  assert.ok(await page.getByRole("radio", { name: words.card }).isChecked());
  assert.equal(await page.locator("#installments").inputValue(), "3");
}

/** Tries a code, or none, by keyboard; where scripts run the page and the focus stay. */
async function tryCoupon(visit, code, total) {
  const { page, words, buyer } = visit;
  const field = page.locator("#coupon");
  if (!(await field.isVisible())) await page.getByText(words.coupon).click();
  await field.fill(code);
  await page.evaluate(() => (document.body.dataset.before = "yes"));
  await press(visit, visit.button(words.apply));
  await told(visit, total);
  if (code) await page.getByRole("status").filter({ hasText: code }).waitFor();
  assert.equal(await page.locator("[data-before]").count(), buyer.script ? 1 : 0);
  if (buyer.script) await visit.button(words.apply).and(page.locator(":focus")).waitFor();
}

async function told({ page }, total) {
  await page.locator("#bill .total").filter({ hasText: total }).waitFor();
}
