// A merchant's way into the dashboard, and its first page.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";
import { press, type } from "./keyboard.mjs";

/** What a page of the dashboard may weigh, compressed: the first with its files, and the next. */
const FIRST_VIEW_BYTES_MAX = 25 * 1024;
const NEXT_VIEW_BYTES_MAX = 12 * 1024;

const WORDS = {
  "pt-BR": {
    signIn: "Entrar", signUp: "Criar conta", home: "Início", wrong: "E-mail ou senha errados",
    checkFields: "Confira estes campos",
    opened: "Conta criada. Comece pelo modo de teste: nada é cobrado.",
    production: "Ver produção", test: "Ver o modo de teste", signOut: "Sair",
    signedOut: "Você saiu.", attention: "Pede sua atenção", api: "O mesmo pela API",
    copy: "Copiar", copied: "Copiado.", sections: "Seções: Início",
    ending: "Sua sessão termina em dois minutos.", stay: "Continuar aqui",
  },
  en: {
    signIn: "Sign in", signUp: "Create an account", home: "Home", wrong: "Wrong e-mail or password",
    checkFields: "Please check these fields",
    opened: "Account created. Begin in test mode: nothing is charged.",
    production: "See production", test: "See test mode", signOut: "Sign out",
    signedOut: "You are signed out.", attention: "Needs your attention",
    api: "The same by the API", copy: "Copy", copied: "Copied.", sections: "Sections: Home",
    ending: "Your session ends in two minutes.", stay: "Stay here",
  },
};

export const stories = [
  ["an account is opened on a phone", { width: 360 }, signUp],
  ["an account is opened on a phone, without scripts", { width: 360, script: false }, signUp],
  ["the first page of a shop that sells", { width: 360 }, sell],
  ["the first page on a tablet", { width: 768 }, sell],
  ["the first page on a desk", { width: 1280 }, sell],
  ["the first page on a desk, in English", { width: 1280, lang: "en" }, sell],
  ["the first page on a desk, without scripts", { width: 1280, script: false }, sell],
  ["signing in and out by keyboard", { width: 1280 }, byKeyboard],
  ["signing in and out by keyboard, on a phone without scripts", { width: 360, script: false },
    byKeyboard],
  ["a session that is about to end", { width: 360 }, stay],
];

async function signUp(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  await visit.open(`${world.server.base}/sign-in`);
  await visit.checkPlain("sign-in");
  await visit.link(words.signUp).click();
  await visit.arrive(words.signUp);
  await visit.checkPlain("sign-up");
  await visit.button(words.signUp).click();
  const errors = page.locator("[role=alert]:focus");
  await errors.getByRole("heading", { name: words.checkFields, exact: true }).waitFor();
  assert.equal(visit.status, 422);
  assert.equal(await errors.getByRole("link").count(), 3);
  await visit.checkDesk("sign-up-refused");
  await page.locator("#name").fill("Loja Exemplo");
  await page.locator("#email").fill(`loja-${randomBytes(6).toString("hex")}@example.com`);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signUp).click();
  await visit.arrive(words.home);
  await page.getByRole("status").filter({ hasText: words.opened }).waitFor();
  await visit.checkDesk("home-empty");
  await page.getByText(words.sections, { exact: true }).click();
  await visit.link(words.home).click();
  await visit.arrive(words.home);
  assert.equal(await page.getByText(words.opened).count(), 0);
  await visit.link(words.production).click();
  await visit.link(words.test).waitFor();
  await visit.checkPlain("home-production");
}

async function sell(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  const shop = await sellingShop(world);
  const [address, before] = [`${world.server.base}/sign-in`, visit.bytes];
  await visit.open(address);
  const first = visit.bytes - before;
  assert.ok(first <= FIRST_VIEW_BYTES_MAX, `the first view weighs ${first}`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill("a guess");
  await visit.button(words.signIn).click();
  await page.getByRole("heading", { name: words.wrong, exact: true }).waitFor();
  await visit.checkDesk("sign-in-refused");
  await page.locator("#password").fill(PASSWORD);
  const weighed = visit.bytes;
  await visit.button(words.signIn).click();
  await visit.arrive(words.home);
  const next = visit.bytes - weighed;
  assert.ok(next <= NEXT_VIEW_BYTES_MAX, `the next view weighs ${next}`);
  await page.getByRole("heading", { name: words.attention, exact: true }).waitFor();
  await page.getByText(words.api, { exact: true }).click();
  if (visit.buyer.script) {
    await visit.button(words.copy).first().click();
    await page.getByRole("status").filter({ hasText: words.copied }).first().waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.startsWith(`curl "${world.server.base}/api/`), copied);
  }
  await visit.checkDesk("home");
  await lookUp(visit);
  await visit.open(`${world.server.base}/dashboard/dev/unknown`);
  assert.equal(visit.status, 404);
  await visit.checkPlain("not-found");
  return `${first} bytes, then ${next}`;
}

/** Looks for a payment, and goes up to the refund of it. */
async function lookUp(visit) {
  const { page, world } = visit;
  const payments = `${world.server.base}/dashboard/dev/transactions`;
  await visit.open(`${payments}?q=nothing`);
  await visit.checkDesk("transactions-none");
  await visit.open(payments);
  await visit.checkPlain("transactions");
  await visit.open(`${payments}?status=PAID`);
  const found = page.locator(`tbody a[href*="/transactions/"]`).first();
  const payment = new URL(await found.getAttribute("href"), world.server.base).href;
  await visit.open(payment);
  await visit.checkPlain("transaction");
  await visit.open(`${payment}/refund`);
  await visit.checkPlain("refund");
  await page.locator("#reason").fill("Não serviu.");
  await page.locator("main form button").click();
  await page.locator(`form[action$="/refund/confirm"]`).waitFor();
  await visit.checkDesk("refund-review");
}

async function byKeyboard(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(world.server.base);
  await visit.open(`${world.server.base}/dashboard/dev`);
  await type(visit, "email", shop.email);
  await type(visit, "password", PASSWORD);
  await page.keyboard.press("Enter");
  await visit.arrive(words.home);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.hash), "#content");
  await page.keyboard.press("Enter");
  await press(visit, page.getByText(words.api, { exact: true }).locator(".."));
  // Without the fragment, or the keys would go on from the content.
  await visit.open(`${world.server.base}/dashboard/dev`);
  await press(visit, page.locator(".person summary"));
  await press(visit, visit.button(words.signOut));
  await visit.arrive(words.signIn);
  await page.getByRole("status").filter({ hasText: words.signedOut }).waitFor();
  await visit.open(`${world.server.base}/dashboard/dev`);
  await visit.arrive(words.signIn);
}

/** Two minutes before the end of a session its page offers to stay. */
async function stay(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(world.server.base);
  await page.clock.install();
  await visit.open(`${world.server.base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await visit.arrive(words.home);
  const offer = visit.button(words.stay);
  for (let time = 1; time <= 2; time += 1) {
    await page.clock.fastForward("27:59");
    assert.equal(await offer.count(), 0);
    await page.clock.fastForward("00:01");
    await page.getByRole("status").filter({ hasText: words.ending }).waitFor();
    await visit.checkDesk("session-ending");
    await offer.click();
    await offer.waitFor({ state: "hidden" });
  }
}

/** A shop with payments in several states, and things that wait for a decision. */
async function sellingShop(world) {
  const shop = await Shop.open(world.server.base);
  const buyer = (name) => ({ name, email: "fulano@example.com", document: "529.982.247-25" });
  await shop.link({ title: "Café 250 g", amountCents: 4_990 });
  for (const [cents, name] of [[1_248_090, "Fulano de Tal"], [4_990, "Beltrana de Tal"]]) {
    await shop.confirm((await shop.charge(cents, buyer(name))).id);
  }
  await shop.cancel((await shop.charge(32_000, buyer("Fulano de Tal"))).id);
  const short = await shop.charge(9_900, buyer("Beltrana de Tal"));
  await shop.underpay(short.id, 5_000);
  await shop.charge(120_000, buyer("Fulano de Tal Sobrenome Bastante Longo da Silva"));
  return shop;
}
