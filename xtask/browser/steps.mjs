// The steps of a purchase, each of which ends when its page says so.
import assert from "node:assert/strict";

import { WORDS } from "./words.mjs";

export const BUYER = {
  name: "Fulano de Tal",
  email: "fulano@example.com",
  document: "529.982.247-25",
  phone: "(11) 91234-5678",
  postal_code: "01310-100",
  street: "Avenida Paulista",
  number: "1578",
  district: "Bela Vista",
  city: "São Paulo",
};
export const STATE = "SP";
const WRONG_DOCUMENT = "529.982.247-26";

/** The id of the payment whose page, or receipt, is shown. */
export function paymentId(visit) {
  return new URL(visit.page.url()).pathname.match(/\/t\/([^/]+)/)[1];
}

/** Sends the form as it is and waits for the errors, which have the focus. */
export async function sendRefused(visit) {
  const { page, words } = visit;
  await visit.button(words.generate).click();
  const errors = page.locator("[role=alert]:focus");
  await errors.getByRole("heading", { name: words.checkFields, exact: true }).waitFor();
  assert.equal(visit.status, 422);
  return errors;
}

/** Sends the form empty, then half filled: every gap is named, and nothing typed is lost. */
export async function beRefused(visit) {
  const { page, words } = visit;
  const asked = await page.locator("[required]").count();
  const errors = await sendRefused(visit);
  assert.equal(await errors.getByRole("link").count(), asked);
  assert.equal(await page.locator("[aria-invalid=true]").count(), asked);
  await visit.check("empty");
  await page.locator("#name").fill(BUYER.name);
  await page.locator("#document").fill(WRONG_DOCUMENT);
  await sendRefused(visit);
  assert.equal(await page.locator("#name").inputValue(), BUYER.name);
  assert.equal(await page.locator("#document").inputValue(), WRONG_DOCUMENT);
  assert.equal(await page.locator("#document-error").innerText(), words.wrongDocument);
  await errors.getByRole("link").filter({ hasText: words.email }).click();
  await page.locator("#email:focus").waitFor();
  await visit.check("refused");
}

/** Fills in what the form asks. */
export async function fill(visit) {
  const { page } = visit;
  for (const [id, value] of Object.entries(BUYER)) {
    const field = page.locator(`#${id}`);
    if (await field.count()) await field.fill(value);
  }
  const state = page.locator("#state");
  if (await state.count()) await state.selectOption(STATE);
}

/** Sends the filled form and waits for the code; answers with the payment's id. */
export async function getCode(visit) {
  await fill(visit);
  await visit.button(visit.words.generate).click();
  await visit.arrive(visit.words.pay);
  return paymentId(visit);
}

/** Opens a link and goes on to its code. */
export async function reachCode(visit, link) {
  await visit.open(link.url);
  return getCode(visit);
}

/** Looks for everything that a page with a code offers. */
export async function checkCode(visit, shop) {
  const { page, words } = visit;
  const { pix } = await shop.transaction(paymentId(visit));
  assert.equal(await page.locator("textarea").inputValue(), pix.brCode);
  await page.locator("svg[role=img]").waitFor();
  await page.getByText(words.testMode).waitFor();
  await visit.link(words.refresh).waitFor();
  await visit.button(words.simulate).waitFor();
  if (visit.buyer.script) {
    await checkCopy(visit, pix.brCode);
    await checkCountdown(visit);
  } else {
    assert.equal(await visit.button(words.copy).count(), 0);
    assert.equal(await page.getByRole("timer").count(), 0);
  }
  await visit.check("code");
}

/** Shows the page in the other language, and back. */
export async function changeLanguage(visit) {
  const { page, words } = visit;
  const other = Object.values(WORDS).find((candidate) => candidate !== words);
  await visit.link(words.other).click();
  await visit.link(other.other).click();
  await visit.link(words.other).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), visit.buyer.lang);
}

async function checkCopy(visit, code) {
  const { page, words } = visit;
  await visit.button(words.copy).click();
  await page.getByRole("status").filter({ hasText: words.copied }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
}

async function checkCountdown(visit) {
  const timer = visit.page.getByRole("timer");
  const before = await timer.innerText();
  assert.match(before, /^\d\d:\d\d$/);
  await timer.and(visit.page.locator(`:not(:text-is("${before}"))`)).waitFor();
}

/** Looks at the receipt, then goes back to the shop. */
export async function checkReceipt(visit, id) {
  const { page, words } = visit;
  if (visit.buyer.script) await visit.button(words.stay).click();
  assert.ok((await page.locator(".price").innerText()).includes(words.price));
  await page.getByText("529.***.***-**").waitFor();
  await page.getByText(id).waitFor();
  await visit.check("receipt");
  await visit.link(words.back).click();
  await arriveAtShop(visit, id);
}

export async function arriveAtShop(visit, id) {
  const wanted = new URL(visit.world.site.url);
  wanted.searchParams.append("transaction_id", id);
  await visit.page.waitForURL(wanted.href);
}
