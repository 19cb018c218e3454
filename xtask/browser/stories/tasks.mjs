// What a merchant does at the pages of money and of the account, with a pointer, without scripts,
// and by the keys alone; and what an open page learns meanwhile.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Keys, Pointer } from "../hands.mjs";
import { signIn } from "../people.mjs";
import { picture } from "../picture.mjs";
import { Shop } from "../shop.mjs";

const FLASH = ".flash";
const SUBMIT = "main form.sheet button.main";
const FULANO = { name: "Fulano de Tal", email: "fulano@example.com", document: "529.982.247-25" };
const PAID = {
  "pt-BR": { amount: "49,90", receipt: "Pagamento confirmado" },
  en: { amount: "49.90", receipt: "Payment confirmed" },
};

export const stories = [
  ...[
    ["on a phone", { width: 360 }, Pointer],
    ["on a desk, in English without scripts", { width: 1280, lang: "en", script: false }, Pointer],
    ["by the keys alone", { width: 1280 }, Keys],
  ].map(([how, buyer, Hand]) => [
    `a merchant's errands ${how}`, buyer, (visit) => runErrands(visit, new Hand(visit)),
  ]),
  ["a payment is confirmed while its pages are open", { width: 1280 }, learn],
  ["a payment is confirmed while its page is open, without scripts",
    { width: 360, script: false }, readAgain],
];

async function runErrands(visit, hand) {
  const { base } = visit.world.server;
  const shop = await Shop.open(base);
  await shop.confirm((await shop.charge(120_000, FULANO)).id);
  await signIn(visit, shop.email);
  await savePayoutKey(visit, hand, `${base}/dashboard/dev/balance`);
  await changeEmail(visit, hand, `${base}/account/profile`);
  await changeLook(visit, hand, `${base}/account/business`);
  await keepView(visit, hand, `${base}/dashboard/dev/transactions`);
  await explainBalance(visit, hand, `${base}/dashboard/dev/balance`);
  await charge(visit, hand, `${base}/dashboard/dev/transactions`);
}

async function savePayoutKey(visit, hand, balance) {
  const { page } = visit;
  await visit.open(balance);
  await hand.press(`main a[href$="/balance/keys"]`);
  await hand.press(`main a[href$="/balance/keys/new"]`);
  await page.waitForURL(/\/keys\/new$/u);
  await hand.press(SUBMIT);
  await visit.refused(2);
  await hand.look("payout-key-refused");
  await hand.write("label", "Conta da empresa");
  await hand.choose("pixKeyType", "email");
  await hand.write("pixKey", "financas@example.com");
  await hand.press(SUBMIT);
  await page.locator(FLASH).waitFor();
  await page.getByText("financas@example.com").first().waitFor();
}

async function changeEmail(visit, hand, profile) {
  const { page } = visit;
  await visit.open(profile);
  await hand.press(`main a[href="/account/profile/email"]`);
  await page.waitForURL(/\/profile\/email$/u);
  await hand.write("email", "nova@example.com");
  await hand.write("password", PASSWORD);
  await hand.press(SUBMIT);
  await page.locator("#pending").waitFor();
  await page.getByText("nova@example.com").first().waitFor();
  await hand.look("email-pending");
  await hand.press(`form[action$="/email/cancel"] button`);
  await page.locator("#pending").waitFor({ state: "detached" });
  await page.locator(FLASH).waitFor();
}

async function changeLook(visit, hand, business) {
  const { page } = visit;
  await visit.open(business);
  await hand.press(`main a[href="/account/business/look"]`);
  await page.waitForURL(/\/business\/look$/u);
  await hand.write("accentColor", "#ffdf80");
  await hand.press(SUBMIT);
  await visit.refused(1);
  await hand.look("look-refused");
  await hand.write("accentColor", "#1a3fa0");
  await hand.press(SUBMIT);
  await page.locator(FLASH).waitFor();
  const buffer = picture(160, 44);
  await hand.give("logo", { name: "logo.png", mimeType: "image/png", buffer });
  await hand.press(`form[action$="/look/logo"] button`);
  const logo = page.locator("main img");
  await logo.waitFor();
  assert.equal(await logo.evaluate((image) => image.decode().then(() => image.naturalWidth)), 160);
}

async function keepView(visit, hand, payments) {
  const { page } = visit;
  await visit.open(`${payments}?status=PAID`);
  await hand.press(`main a[href*="/views?list=transactions"]`);
  await page.waitForURL(/\/views\?list=/u);
  await hand.press(SUBMIT);
  await visit.refused(1);
  await hand.look("view-refused");
  await hand.write("name", "Pagas");
  await hand.press(SUBMIT);
  const view = page.getByRole("link", { name: "Pagas", exact: true });
  await view.waitFor();
  assert.equal(await view.getAttribute("aria-current"), "page");
  await hand.press(`main nav a[href*="/views?list=transactions"]`);
  await page.locator("#saved").waitFor();
  await hand.press(`form[action$="/delete"] button`);
  await page.locator(FLASH).waitFor();
  assert.equal(await page.locator(`form[action$="/delete"]`).count(), 0);
}

async function explainBalance(visit, hand, balance) {
  const { page } = visit;
  await visit.open(balance);
  await hand.press(`main .figures a`);
  await page.waitForURL(/\/explain\/available/u);
  await hand.press("main tbody a");
  await page.locator("#statement").waitFor();
  await page.locator("main tbody tr").first().waitFor();
}

async function charge(visit, hand, payments) {
  const { page } = visit;
  const words = PAID[visit.buyer.lang];
  await visit.open(payments);
  await hand.press(`main a[href$="/transactions/new"]`);
  await page.waitForURL(/\/transactions\/new$/u);
  await hand.press(SUBMIT);
  await page.locator("[role=alert]").waitFor();
  await hand.look("charge-refused");
  await hand.write("amountCents", words.amount);
  await hand.write("customer.name", FULANO.name);
  await hand.write("customer.email", FULANO.email);
  await hand.press(SUBMIT);
  await page.locator("#pix-code").waitFor();
  const receipt = await page.locator("#pay-url").textContent();
  await hand.choose("outcome", "PAID");
  await hand.press(`form[action$="/simulate"] button`);
  await page.locator("#live-state .state.good").waitFor();
  await hand.press(`form[action$="/receipt"] button`);
  await page.locator(FLASH).waitFor();
  await hand.look("charge-paid");
  await visit.open(receipt);
  await visit.arrive(words.receipt);
}

/** What is open hears of the payment, and shows it without being opened again. */
async function learn(visit) {
  const { page, world } = visit;
  const desk = `${world.server.base}/dashboard/dev`;
  const shop = await Shop.open(world.server.base);
  await signIn(visit, shop.email);
  for (const [where, paid] of [
    [({ id }) => `/transactions/${id}`, "#live-state .state.good"],
    [() => "/transactions", "#live-rows .state.good"],
    [() => "", "#live-newest .state.good"],
  ]) {
    const issued = await shop.charge(4_990, FULANO);
    const listens = page.waitForResponse(/\/stream$/u);
    await visit.open(`${desk}${where(issued)}`);
    await listens;
    const shown = page.locator(`${paid} >> visible=true`);
    const before = await shown.count();
    await page.evaluate(() => Object.assign(globalThis, { wasOpen: true }));
    await shop.confirm(issued.id);
    await shown.nth(before).waitFor();
    assert.ok(await page.evaluate(() => globalThis.wasOpen), "the page was opened again");
  }
}

/** Without scripts the page is whole, and the same address shows what is new. */
async function readAgain(visit) {
  const { page, world } = visit;
  const shop = await Shop.open(world.server.base);
  await signIn(visit, shop.email);
  const issued = await shop.charge(4_990, FULANO);
  const payment = `${world.server.base}/dashboard/dev/transactions/${issued.id}`;
  await visit.open(payment);
  for (const part of ["why", "to-pay", "timeline", "money", "buyer", "deliveries", "simulate"]) {
    await page.locator(`#${part}`).waitFor();
  }
  await shop.confirm(issued.id);
  await visit.open(payment);
  await page.locator("#live-state .state.good").waitFor();
  assert.equal(await page.locator("#to-pay").count(), 0);
  assert.ok(!visit.asked("/dashboard/dev/stream"));
}
