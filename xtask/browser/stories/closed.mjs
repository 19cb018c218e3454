// Pages that take no payment, or none for now: each says why, in its reader's language, with the
// right status.
import assert from "node:assert/strict";

import { CHECKOUTS_A_MINUTE } from "../server.mjs";
import { Shop } from "../shop.mjs";
import { BUYER, paymentId, reachCode, sendRefused } from "../steps.mjs";


const DRAFT = { title: "Café especial 250 g", amountCents: 4_990 };

export const stories = [
  ...[
    ["a link that is switched off", inactive],
    ["an unknown link", unknown],
    ["a product that is sold out", soldOut],
    ["a link whose time is over", expired],
    ["a charge that was cancelled", cancelled],
    ["real money without a bank", withoutBank],
    ["a buyer who tries too often", tooOften],
  ].flatMap(([name, story]) => [
    [`${name}, on a narrow screen`, { width: 360 }, story],
    [`${name}, on a wide screen in English`, { width: 1280, lang: "en" }, story],
  ]),
];

async function inactive(visit, { shop }) {
  const { id, url } = await shop.link(DRAFT);
  await shop.changeLink(id, { status: "INACTIVE" });
  await visit.open(url);
  await closed(visit, "inactive", visit.words.linkInactive, 410);
}

async function unknown(visit) {
  await visit.open(`${visit.world.server.base}/pay/nunca-existiu`);
  await closed(visit, "unknown", visit.words.notFound, 404);
}

async function soldOut(visit, { shop }) {
  const { url } = await shop.link({ ...DRAFT, stockEnabled: true, stockQuantity: 0 });
  await visit.open(url);
  await closed(visit, "sold-out", visit.words.soldOut, 409);
}

async function expired(visit) {
  const shop = await Shop.open(visit.world.server.base);
  const soon = (await shop.now()).getTime() + 60_000;
  const { url } = await shop.link({ ...DRAFT, expiresAt: new Date(soon).toISOString() });
  await shop.advance(61);
  await visit.open(url);
  await closed(visit, "link-expired", visit.words.linkExpired, 410);
}

async function cancelled(visit, { shop, short }) {
  await reachCode(visit, short);
  await shop.cancel(paymentId(visit));
  await closed(visit, "cancelled", visit.words.cancelled, 410);
}

async function withoutBank(visit) {
  const shop = await Shop.open(visit.world.server.base, "production");
  const { url } = await shop.link(DRAFT);
  await visit.open(url);
  assert.equal(await visit.page.getByText(visit.words.testMode).count(), 0);
  await closed(visit, "without-bank", visit.words.notConfigured, 503);
}

async function tooOften(visit, { shop }) {
  const { url } = await shop.link(DRAFT);
  await visit.open(url);
  const name = visit.page.locator("#name");
  await name.fill(BUYER.name);
  for (let sent = 0; sent < CHECKOUTS_A_MINUTE; sent += 1) await sendRefused(visit);
  await visit.button(visit.words.generate).click();
  await visit.page.getByRole("heading", { name: visit.words.tooMany, exact: true }).waitFor();
  assert.equal(visit.status, 429);
  assert.equal(await name.inputValue(), BUYER.name);
  await visit.check("too-often");
}

async function closed(visit, name, heading, status) {
  await visit.arrive(heading);
  assert.equal(visit.status, status);
  await visit.check(name);
}
