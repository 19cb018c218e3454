// The whole purchase by boleto and by card, and what may go wrong with a coupon and a card.
import assert from "node:assert/strict";

import { SIZES } from "../chromium.mjs";
import { BUYER, fill } from "../steps.mjs";
import { press, tabTo, type } from "./keyboard.mjs";

const BUYERS = Object.keys(SIZES).map(Number)
  .flatMap((width) => [true, false].map((script) => ({ width, script })));

export const stories = BUYERS.flatMap((buyer) => {
  const how = `at ${buyer.width} px, ${buyer.script ? "with" : "without"} scripts`;
  return [
    [`a purchase by boleto ${how}`, buyer, byBoleto],
    [`a purchase by card by keyboard ${how}`, buyer, byCard],
    [`a declined card and a wrong coupon ${how}`, buyer, refused],
  ];
});

async function byBoleto(visit, { shop, short }) {
  const { page, words } = visit;
  await visit.open(short.url);
  await fill(visit);
  await page.getByRole("radio", { name: words.boleto }).check();
  await visit.check("form-boleto");
  await visit.button(words.boletoGo).click();
  await visit.arrive(words.boletoPay);
  await visit.check("boleto");
  const here = page.url();
  await visit.link(words.openBoleto).click();
  await page.locator(".slip").waitFor();
  await visit.check("slip");
  await visit.open(here);
  await visit.button(words.simulate).click();
  await visit.arrive(words.paid);
  await visit.check("receipt-boleto");
}

async function byCard(visit, { short }) {
  const { page, words } = visit;
  await visit.open(short.url);
  for (const id of ["name", "email", "document"]) await type(visit, id, BUYER[id]);
  await tabTo(visit, page.locator("#method-pix"));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.getByRole("radio", { name: words.card }).isChecked());
  await visit.check("form-card");
  await press(visit, visit.button(words.cardGo));
  await visit.arrive(words.cardDetails);
  await typeCard(visit, await sample(visit));
  await visit.check("card");
  if (visit.buyer.script) {
    await press(visit, visit.button(words.cardPay));
  } else {
    await press(visit, visit.button(words.proceed));
    await visit.button(words.cardConfirm).waitFor();
    await visit.check("card-confirm");
    await press(visit, visit.button(words.cardConfirm));
  }
  await visit.arrive(words.paid);
  await page.getByText(words.approved).waitFor();
  await visit.check("receipt-card");
}

async function refused(visit, { short }) {
  const { page, words } = visit;
  await visit.open(short.url);
  await fill(visit);
  await page.getByText(words.coupon).click();
  await page.locator("#coupon").fill("NADA");
  await visit.button(words.apply).click();
  await page.getByText(words.couponInvalid).first().waitFor();
  assert.equal(await page.locator("#name").inputValue(), BUYER.name);
  await visit.check("coupon-refused");
  await page.locator("#coupon").fill("");
  await page.getByRole("radio", { name: words.card }).check();
  await visit.button(words.cardGo).click();
  await visit.arrive(words.cardDetails);
  const good = await sample(visit);
  await page.locator("#number").fill("1234");
  await visit.button(visit.buyer.script ? words.cardPay : words.proceed).click();
  await page.locator("#number[aria-invalid]").waitFor();
  await visit.check("card-refused");
  // The published number that is always declined differs in its middle and its end.
  await typeFresh(visit, `${good[0]}${"0".repeat(14)}2`);
  if (visit.buyer.script) {
    await visit.button(words.cardPay).click();
  } else {
    await visit.button(words.proceed).click();
    await page.getByRole("button", { name: "0002" }).click();
  }
  await page.getByRole("heading", { name: words.declined }).waitFor();
  assert.equal(visit.status, 402);
  await visit.check("card-declined");
}

/** Types the card that the page offers, and confirms it where no script does. */
export async function giveCard(visit, name, go, confirm) {
  const { words } = visit;
  await visit.arrive(words.cardDetails);
  await visit.check(name);
  await typeFresh(visit, await sample(visit));
  if (visit.buyer.script) {
    await visit.button(go).click();
  } else {
    await visit.button(words.proceed).click();
    await visit.button(confirm).waitFor();
    await visit.check(`${name}-confirm`);
    await visit.button(confirm).click();
  }
}

/** The number that the page itself offers for a trial. */
async function sample(visit) {
  const text = await visit.page.locator(".sample").innerText();
  return text.match(/\d{13,19}/)[0];
}

async function typeCard(visit, number) {
  const card = { number, expiry: "1230", cvv: "123", holder: BUYER.name };
  for (const [id, text] of Object.entries(card)) await type(visit, id, text);
}

async function typeFresh(visit, number) {
  const card = { number, expiry: "12/30", cvv: "123", holder: BUYER.name };
  for (const [id, text] of Object.entries(card)) await visit.page.locator(`#${id}`).fill(text);
}
