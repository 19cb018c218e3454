// A key and a webhook made in the dashboard, and the balance withdrawn there.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

const WORDS = {
  "pt-BR": {
    signIn: "Entrar", key: "Criar chave", webhook: "Criar webhook", goOn: "Ver o que vai acontecer",
    withdraw: /^Sacar R\$/u, amount: "50,00", rotate: "Trocar",
  },
  en: {
    signIn: "Sign in", key: "Create the key", webhook: "Create the webhook",
    goOn: "See what will happen", withdraw: /^Withdraw R\$/u, amount: "50.00", rotate: "Rotate",
  },
};

export const stories = [
  ["a key, a webhook and a withdrawal on a phone", { width: 360 }, earn],
  ["a key, a webhook and a withdrawal on a phone, in English without scripts",
    { width: 360, lang: "en", script: false }, earn],
  ["a key, a webhook and a withdrawal on a tablet", { width: 768 }, earn],
  ["a key, a webhook and a withdrawal on a desk, in English", { width: 1280, lang: "en" }, earn],
  ["a key, a webhook and a withdrawal on a desk, without scripts", { width: 1280, script: false },
    earn],
];

async function earn(visit) {
  const { page, world } = visit;
  const { base } = world.server;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(base);
  await visit.open(`${base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await page.locator(".mode-bar").waitFor();
  const desk = `${base}/dashboard/dev`;
  await makeKey(visit, `${desk}/developers/keys`, words);
  await makeWebhook(visit, `${desk}/developers/webhooks`, words);
  await withdraw(visit, `${desk}/balance`, shop, words);
  await visit.open(`${base}/account/elevate?next=${encodeURIComponent("/dashboard/dev/balance")}`);
  await visit.checkPlain("elevate");
  await page.locator("#proof").fill("a guess");
  await page.locator("main form button").click();
  await visit.refused(1);
  await visit.checkDesk("elevate-refused");
  await page.locator("#proof").fill(PASSWORD);
  await page.locator("main form button").click();
  await page.locator("#statement").waitFor();
}

async function makeKey(visit, keys, words) {
  const { page } = visit;
  await visit.open(`${keys}/new`);
  await visit.button(words.key).click();
  await visit.refused(2);
  await visit.checkDesk("key-refused");
  await page.locator("#name").fill("loja-web");
  await page.locator("[name='permissions.products:read']").check();
  await visit.button(words.key).click();
  await page.locator("#secret").waitFor();
  assert.match(await page.locator("#secret").innerText(), /^tos_dev_/u);
  await visit.checkDesk("key-secret");
  await page.locator("main a.main").click();
  await page.getByRole("heading", { name: "loja-web" }).waitFor();
  await visit.checkPlain("keys");
  await page.getByRole("link", { name: words.rotate }).first().click();
  await page.locator("#gracePeriodSeconds").waitFor();
  await visit.checkPlain("key-rotate");
  await visit.open(page.url().replace(/rotate$/u, "revoke"));
  await visit.checkPlain("key-revoke");
}

async function makeWebhook(visit, webhooks, words) {
  const { page } = visit;
  await visit.open(`${webhooks}/new`);
  await page.locator("#url").fill("ftp://example.com");
  await visit.button(words.webhook).click();
  await visit.refused(1);
  await visit.checkDesk("webhook-refused");
  await page.locator("#url").fill("https://loja.example.com/hook");
  await visit.button(words.webhook).click();
  await page.locator("#secret").waitFor();
  await visit.checkDesk("webhook-secret");
  await page.locator("main a.main").click();
  await page.locator("#deliveries").waitFor();
  await visit.checkDesk("webhook-new");
  const here = page.url();
  await visit.open(`${here}/edit`);
  await visit.checkPlain("webhook-edit");
  await visit.open(`${here}/delete`);
  await visit.checkPlain("webhook-delete");
}

async function withdraw(visit, balance, shop, words) {
  const { page } = visit;
  await visit.open(balance);
  await visit.checkDesk("balance-empty");
  await visit.open(`${balance}/receivables`);
  await visit.checkDesk("receivables-none");
  await visit.open(`${balance}/advances`);
  await visit.checkDesk("advances-none");
  await visit.open(`${balance}/advances/new`);
  await visit.checkPlain("advance-new");
  const buyer = { name: "Fulano de Tal", email: "fulano@example.com", document: "529.982.247-25" };
  await shop.confirm((await shop.charge(120_000, buyer)).id);
  await visit.open(`${balance}/withdraw`);
  await page.locator("#amountCents").fill("-");
  await visit.button(words.goOn).click();
  await visit.refused(1);
  await visit.checkDesk("withdraw-refused");
  await page.locator("#amountCents").fill(words.amount);
  await page.locator("#pixKeyType").selectOption("email");
  await page.locator("#pixKey").fill("loja@example.com");
  await visit.button(words.goOn).click();
  await page.getByRole("button", { name: words.withdraw }).waitFor();
  await visit.checkDesk("withdraw-review");
  await page.getByRole("button", { name: words.withdraw }).click();
  await page.locator(".flash").waitFor();
  await visit.checkPlain("withdrawal");
  await visit.open(`${balance}/withdrawals`);
  await visit.checkPlain("withdrawals");
  await visit.open(balance);
  await visit.checkPlain("balance");
}
