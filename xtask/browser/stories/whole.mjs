// The whole purchase, from the link to the shop's own page.
import assert from "node:assert/strict";

import { SIZES } from "../chromium.mjs";
import { Shop } from "../shop.mjs";
import {
  arriveAtShop, beRefused, changeLanguage, checkCode, checkReceipt, getCode, reachCode,
} from "../steps.mjs";
import { WORDS } from "../words.mjs";

const PAGES_BYTES_MAX = 30 * 1024;
/** The script asks here only when the stream of events fails. */
const POLLING = "/api/transactions/public/";

/** What each takes off, in cents. */
const COUPONS = { CEM: 10_000, QUASE: 114_000, TUDO: 114_990 };

const DESCRIPTION = "Torra média, moído na hora do envio.\nEntrega em até cinco dias úteis.";
const ABOUT = "Colhido à mão na Serra da Mantiqueira, com notas de cacau, rapadura e laranja.";

/** A shop with a short link, one that asks for everything, and one for installments and coupons. */
export async function stock(world) {
  const shop = await Shop.open(world.server.base);
  const redirectUrl = world.site.url;
  const draft = { title: "Café especial 250 g", amountCents: 104_990, redirectUrl };
  const short = await shop.link(draft);
  const beans = await shop.product({ name: "Café em grãos 1 kg", price: 12_990 });
  const kit = await shop.product({ name: "Moedor manual de cerâmica", price: 79_010 });
  const full = await shop.link({
    title: "Kit para quem gosta de café de verdade",
    redirectUrl,
    description: DESCRIPTION,
    productDescription: ABOUT,
    settings: { requirePhone: true, requireAddress: true },
    products: [{ productId: beans.id, quantity: 2 }, { productId: kit.id, quantity: 1 }],
  });
  const parts = await shop.link({
    ...draft,
    amountCents: 114_990,
    settings: { maxInstallments: 12, interestFreeInstallments: 12 },
  });
  for (const [code, discountValue] of Object.entries(COUPONS)) {
    await shop.coupon({ code, discountType: "FIXED", discountValue });
  }
  return { shop, short, full, parts };
}

export const stories = [
  ...everyBuyer().map((buyer) => [`a purchase ${described(buyer)}`, buyer, purchase]),
  ["a purchase of products with an address", { width: 360 }, purchaseWithAddress],
  ["a purchase of products on a wide screen", { width: 1280 }, purchaseWithAddress],
  ["a payment simulated by its button", { width: 360 }, simulateByButton],
  ["a payment simulated by its button without scripts", { width: 360, script: false },
    simulateByButton],
  ["the receipt takes its reader back by itself, once", { width: 1280 }, returnByItself],
  ["a purchase fits thirty kilobytes", { width: 360 }, weigh],
  ["the number is punctuated and checked while typing", { width: 360 }, typeDocument],
];

function everyBuyer() {
  const widths = Object.keys(SIZES).map(Number);
  const speaking = widths.flatMap((width) => Object.keys(WORDS).map((lang) => ({ width, lang })));
  return speaking.flatMap((buyer) => [true, false].map((script) => ({ ...buyer, script })));
}

function described({ width, lang, script }) {
  return `at ${width} px, in ${lang}, ${script ? "with" : "without"} scripts`;
}

async function purchase(visit, { shop, short }) {
  await visit.open(short.url);
  await visit.check("form");
  await changeLanguage(visit);
  await beRefused(visit);
  const id = await getCode(visit);
  await changeLanguage(visit);
  await checkCode(visit, shop);
  await shop.confirm(id);
  if (visit.buyer.script) {
    await visit.arrive(visit.words.paid);
    assert.ok(!visit.asked(POLLING), "the stream told it, not a question");
  } else {
    await visit.link(visit.words.refresh).click();
    await visit.arrive(visit.words.paid);
  }
  await checkReceipt(visit, id);
}

async function purchaseWithAddress(visit, { shop, full }) {
  await visit.open(full.url);
  await visit.check("address-form");
  await beRefused(visit);
  await visit.check("address-refused");
  const id = await getCode(visit);
  await shop.confirm(id);
  await visit.arrive(visit.words.paid);
}

async function simulateByButton(visit, { short }) {
  const id = await reachCode(visit, short);
  await visit.button(visit.words.simulate).click();
  await visit.arrive(visit.words.paid);
  await checkReceipt(visit, id);
}

async function returnByItself(visit, { shop, short }) {
  const id = await reachCode(visit, short);
  await visit.page.clock.install();
  await shop.confirm(id);
  await visit.arrive(visit.words.paid);
  await visit.page.clock.pauseAt(Date.now() + 2_000);
  const receipt = visit.page.url();
  await visit.button(visit.words.stay).waitFor();
  await visit.check("receipt-returning");
  await visit.page.clock.fastForward("00:15");
  await arriveAtShop(visit, id);
  await visit.open(receipt);
  await visit.link(visit.words.back).waitFor();
  assert.equal(await visit.button(visit.words.stay).count(), 0, "nobody is sent away twice");
}

async function weigh(visit, { shop, full }) {
  const id = await reachCode(visit, full);
  await shop.confirm(id);
  await visit.arrive(visit.words.paid);
  assert.ok(visit.bytes > 0, "nothing was measured");
  assert.ok(visit.bytes <= PAGES_BYTES_MAX, `${visit.bytes} bytes came over the wire`);
  return `${visit.bytes} bytes`;
}

async function typeDocument(visit, { short }) {
  const { page, words } = visit;
  await visit.open(short.url);
  const field = page.locator("#document");
  for (const [typed, shown, error] of [
    ["52998224725", "529.982.247-25", ""],
    ["52998224726", "529.982.247-26", words.wrongDocument],
    ["11222333000181", "11.222.333/0001-81", ""],
    ["12abc34501de35", "12.ABC.345/01DE-35", ""],
  ]) {
    await field.fill("");
    await field.pressSequentially(typed);
    await field.blur();
    assert.equal(await field.inputValue(), shown);
    assert.equal(await page.locator("#document-error").innerText(), error, typed);
  }
}
