// Who sells for a shop, and whom it brings: the dashboard's affiliates and referrals.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

const WORDS = {
  "pt-BR": {
    signIn: "Entrar", make: "Criar programa", join: "Entrar no programa", percent: "12,5",
    off: "Desligar", joined: "Você entrou no programa.", code: "Criar código",
    goOn: "Ver o que vai acontecer", amount: "10,00",
  },
  en: {
    signIn: "Sign in", make: "Create program", join: "Join the program", percent: "12.5",
    off: "Switch off", joined: "You joined the program.", code: "Create a code",
    goOn: "See what will happen", amount: "10.00",
  },
};
const COURSE = "Curso de café coado para quem nunca coou café, com certificado";

export const stories = [
  ["affiliates and referrals on a phone", { width: 360 }, partner],
];

async function partner(visit) {
  const { world } = visit;
  const words = WORDS[visit.buyer.lang];
  const seller = await Shop.open(world.server.base);
  const affiliate = await Shop.open(world.server.base);
  const desk = `${world.server.base}/dashboard/dev`;
  const product = await seller.product({ name: COURSE, price: 19_990 });
  await signIn(visit, seller, words);
  const program = await makeProgram(visit, `${desk}/affiliates`, words);
  await signIn(visit, affiliate, words);
  const code = await joinProgram(visit, `${desk}/affiliates`, program, words);
  const buyer = { name: "Fulano de Tal", email: "fulano@example.com", document: "529.982.247-25" };
  const sale = { items: [{ productId: product.id, quantity: 1 }], affiliateCode: code };
  await seller.confirm((await seller.charge(undefined, buyer, sale)).id);
  await refer(visit, `${desk}/referrals`, words);
  await signIn(visit, seller, words);
  await watch(visit, `${desk}/affiliates`, program, words);
}

async function signIn(visit, shop, words) {
  const { page, world } = visit;
  await page.context().clearCookies({ name: "__Host-tostao" });
  await visit.open(`${world.server.base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await page.locator(".mode-bar").waitFor();
}

async function makeProgram(visit, affiliates, words) {
  const { page } = visit;
  await visit.open(affiliates);
  await visit.checkDesk("affiliates-empty");
  await visit.open(`${affiliates}/programs/new`);
  await visit.button(words.make).click();
  await visit.refused(2);
  await visit.checkDesk("program-refused");
  await page.locator("#productId").selectOption({ label: COURSE });
  await page.locator("#commissionValue").fill(words.percent);
  await page.locator("#rules").fill("Sem anúncios com o nome da loja.");
  await page.locator("#salesPage").fill("https://example.com/curso-de-cafe-coado");
  await visit.button(words.make).click();
  await page.locator(".flash").waitFor();
  const program = page.url().split("/").at(-1);
  // No account is its own affiliate: the page says why.
  await visit.open(`${affiliates}/marketplace/${program}`);
  assert.ok(await visit.button(words.join).isDisabled());
  await visit.checkDesk("program-own");
  return program;
}

async function joinProgram(visit, affiliates, program, words) {
  const { page } = visit;
  await visit.open(`${affiliates}/marketplace/${program}`);
  await visit.button(words.join).click();
  await page.locator(".flash").filter({ hasText: words.joined }).waitFor();
  const address = await page.locator("#link-url").textContent();
  return new URL(address).searchParams.get("aff");
}

async function refer(visit, referrals, words) {
  const { page } = visit;
  await visit.open(referrals);
  await visit.button(words.code).click();
  await page.locator(".flash").waitFor();
  await visit.open(`${referrals}/withdraw`);
  await page.locator("#amountCents").fill(words.amount);
  await visit.button(words.goOn).click();
  await page.locator("[role=alert]").waitFor();
  await visit.checkDesk("referral-withdraw");
}

async function watch(visit, affiliates, program, words) {
  const { page } = visit;
  await visit.open(`${affiliates}/programs/${program}`);
  await page.locator("#affiliates").waitFor();
  await visit.checkDesk("program-affiliates");
  await page.locator("table").getByRole("button", { name: words.off }).click();
  await page.locator(".flash").waitFor();
  await visit.checkDesk("program-affiliate-off");
}
