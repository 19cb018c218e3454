// A plan made in the dashboard, a subscriber who is late, and what is done about it there.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

const DAY = 24 * 3600;
const WORDS = {
  "pt-BR": {
    signIn: "Entrar", make: "Criar plano", paid: "Simular pagamento", retry: "Tentar agora",
    link: "Pedir outro cartão", goOn: "Ver o que vai acontecer", cancel: "Cancelar assinatura",
    pause: "Pausar a assinatura", price: "29,90",
  },
  en: {
    signIn: "Sign in", make: "Create plan", paid: "Simulate a payment", retry: "Try now",
    link: "Ask for another card", goOn: "See what will happen", cancel: "Cancel subscription",
    pause: "Pause the subscription", price: "29.90",
  },
};

export const stories = [
  ["a plan and a late subscriber on a phone", { width: 360 }, recur],
];

async function recur(visit) {
  const { page, world } = visit;
  const { base } = world.server;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(base);
  await visit.open(`${base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await page.locator(".mode-bar").waitFor();
  const desk = `${base}/dashboard/dev/subscriptions`;
  await visit.open(desk);
  await visit.checkDesk("subscriptions-none");
  await visit.open(`${desk}/metrics`);
  await visit.checkDesk("revenue-none");
  const plan = await makePlan(visit, `${desk}/plans`, words);
  const customer = (name) => ({ name, email: `${name.toLowerCase()}@example.com` });
  const bia = (await shop.subscribe(plan, customer("Bia"))).subscription.id;
  const caio = (await shop.subscribe(plan, customer("Caio"))).subscription.id;
  for (const id of [bia, caio]) {
    await visit.open(`${desk}/${id}`);
    await visit.button(words.paid).click();
    await page.locator(".flash").waitFor();
  }
  await pause(visit, `${desk}/${caio}/pause`, words);
  await shop.advance(31 * DAY);
  await shop.advance(3 * DAY);
  await visit.open(desk);
  await page.locator("#late").waitFor();
  await retry(visit, words);
  await visit.open(`${desk}/${bia}/link`);
  await page.locator("#card-url").waitFor();
  await cancel(visit, `${desk}/${bia}/cancel`, words);
  await visit.open(`${desk}/metrics`);
  await page.locator("a[href*='kind=NEW']").click();
  // No one has subscribed in the last thirty days.
  await page.waitForURL(/kind=NEW/);
  await visit.checkDesk("revenue-changes");
}

async function makePlan(visit, plans, words) {
  const { page } = visit;
  await visit.open(plans);
  await visit.checkDesk("plans-none");
  await visit.open(`${plans}/new`);
  await page.locator("[id='retryPolicy.maxRetry']").fill("3");
  await visit.button(words.make).click();
  await visit.refused(3);
  await visit.checkDesk("plan-refused");
  await page.locator("#name").fill("Clube do café");
  await page.locator("#amountCents").fill(words.price);
  await page.locator("[id='retryPolicy.retryEvery']").fill("5");
  await visit.button(words.make).click();
  await page.locator("#plan-url").waitFor();
  const here = new URL(page.url()).pathname;
  return here.split("/").pop();
}

async function pause(visit, form, words) {
  const { page } = visit;
  await visit.open(form);
  await page.locator("#resumesAt").fill("2020-01-01");
  await visit.button(words.pause).click();
  await visit.refused(1);
  await visit.checkDesk("subscription-pause-refused");
  await page.locator("#resumesAt").fill("");
  await visit.button(words.pause).click();
  await page.locator(".flash").waitFor();
  await visit.checkDesk("subscription-paused");
}

async function retry(visit, words) {
  const { page } = visit;
  await page.getByRole("link", { name: words.link, exact: true }).first().waitFor();
  await page.getByRole("link", { name: words.retry, exact: true }).first().click();
  await visit.button(words.retry).waitFor();
  await visit.checkDesk("subscription-retry");
  await visit.button(words.retry).click();
  await page.locator(".flash").waitFor();
  await visit.checkDesk("subscription-retried");
}

async function cancel(visit, form, words) {
  const { page } = visit;
  await visit.open(form);
  await visit.button(words.goOn).click();
  await visit.button(words.cancel).waitFor();
  await visit.checkDesk("subscription-cancel-review");
  await visit.button(words.cancel).click();
  await page.locator(".flash").waitFor();
  assert.equal(visit.status, 200);
  await visit.checkDesk("subscription-cancelled");
}
