// What a shop sells, what it gives off, and who buys: the dashboard's products, coupons, clients.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

const WORDS = {
  "pt-BR": {
    signIn: "Entrar", newProduct: "Novo produto", newCoupon: "Novo cupom",
    product: "Criar produto", coupon: "Criar cupom", save: "Salvar", off: "Desligar",
    switchedOff: "O cupom foi desligado.", show: "Mostrar o documento", erase: "Apagar os dados",
    goOn: "Ver o que acontece com este cliente", forGood: "Apagar para sempre",
    erased: "Os dados do cliente foram apagados.", price: "49,90", percent: "12,5",
  },
  en: {
    signIn: "Sign in", newProduct: "New product", newCoupon: "New coupon",
    product: "Create product", coupon: "Create coupon", save: "Save", off: "Switch off",
    switchedOff: "The coupon was switched off.", show: "Show the document",
    erase: "Erase the data", goOn: "See what happens to this customer",
    forGood: "Erase for good", erased: "The customer's data was erased.", price: "49.90",
    percent: "12.5",
  },
};

export const stories = [
  ["products, coupons and clients on a phone", { width: 360 }, keep],
  ["products, coupons and clients on a phone, in English without scripts",
    { width: 360, lang: "en", script: false }, keep],
  ["products, coupons and clients on a tablet, in English", { width: 768, lang: "en" }, keep],
  ["products, coupons and clients on a desk", { width: 1280 }, keep],
  ["products, coupons and clients on a desk, without scripts", { width: 1280, script: false },
    keep],
];

async function keep(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(world.server.base);
  await visit.open(`${world.server.base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await page.locator(".mode-bar").waitFor();
  const desk = `${world.server.base}/dashboard/dev`;
  await keepProducts(visit, `${desk}/products`, words);
  await keepCoupons(visit, `${desk}/coupons`, words);
  await keepClients(visit, `${desk}/clients`, shop, words);
}

async function keepProducts(visit, products, words) {
  const { page } = visit;
  await visit.open(products);
  await visit.checkDesk("products-empty");
  await visit.link(words.newProduct).first().click();
  await visit.arrive(words.newProduct);
  await visit.button(words.product).click();
  await visit.refused(2);
  await visit.checkDesk("product-refused");
  await page.locator("#name").fill("Café em grãos, torra média, pacote de 250 g");
  await page.locator("#price").fill(words.price);
  await page.locator("[name=stockEnabled]").check();
  await page.locator("#stockQuantity").fill("12");
  await visit.button(words.product).click();
  await page.locator(".flash").waitFor();
  await visit.checkPlain("product");
  await visit.open(products);
  await visit.checkPlain("products");
  await visit.open(`${products}?status=INACTIVE`);
  await visit.checkDesk("products-none");
}

async function keepCoupons(visit, coupons, words) {
  const { page } = visit;
  await visit.open(`${coupons}/new`);
  for (const code of ["VERAO25", "verao25"]) {
    await page.locator("#code").fill(code);
    await page.locator("#discountValue").fill(words.percent);
    await page.locator("#usageLimit").fill("100");
    await page.locator("fieldset [type=checkbox]").first().check();
    await visit.button(words.coupon).click();
    if (code === "verao25") break;
    await page.locator(".flash").waitFor();
    await visit.checkPlain("coupon");
    await visit.button(words.off).click();
    await page.locator(".flash").filter({ hasText: words.switchedOff }).waitFor();
    await visit.open(`${coupons}/new`);
  }
  // The code is taken: the page leads to the coupon that has it.
  const having = page.locator("[role=alert] a");
  await having.waitFor();
  await visit.checkDesk("coupon-taken");
  await having.click();
  await visit.arrive("VERAO25");
  const coupon = page.url();
  await visit.open(`${coupon}/edit`);
  await visit.checkPlain("coupon-edit");
  await visit.open(`${coupon}/delete`);
  await page.locator("#typed").fill("VERAO");
  await page.locator("main form button").click();
  await visit.refused(1);
  await visit.checkDesk("coupon-delete");
  await visit.open(coupons);
  await visit.checkPlain("coupons");
}

async function keepClients(visit, clients, shop, words) {
  const { page } = visit;
  const buyer = (name, email, document) => ({ name, email, document });
  const fulano = buyer("Fulano de Tal", "fulano@example.com", "529.982.247-25");
  const long = "Beltrana de Tal Sobrenome Bastante Longo da Silva";
  await shop.confirm((await shop.charge(4_990, fulano)).id);
  await shop.charge(120_000, fulano);
  await shop.charge(1_000, buyer(long, "beltrana@example.com", "111.444.777-35"));
  await visit.open(clients);
  await visit.checkPlain("clients");
  await page.locator("#q").fill("fulano");
  await page.locator("[role=search] button").click();
  await page.getByRole("link", { name: /Fulano de Tal/u }).click();
  await visit.arrive("Fulano de Tal");
  await visit.checkPlain("client");
  const client = page.url();
  await visit.button(words.show).click();
  await page.getByText("529.982.247-25").waitFor();
  await visit.checkDesk("client-document");
  await visit.open(`${client}/edit`);
  await page.locator("#phone").fill("1");
  await visit.button(words.save).click();
  await visit.refused(1);
  await visit.checkDesk("client-edit");
  await visit.open(client);
  await visit.link(words.erase).click();
  await page.locator("#stays").waitFor();
  await visit.checkPlain("client-erase");
  await visit.button(words.goOn).click();
  await page.locator("#typed").waitFor();
  await visit.checkDesk("client-erase-confirm");
  await page.locator("#typed").fill("fulano@example.com");
  await visit.button(words.forGood).click();
  await page.locator(".flash").filter({ hasText: words.erased.slice(0, -1) }).waitFor();
  assert.equal(await page.getByText("fulano@example.com").count(), 0);
}

/** Waits for the form with so many fields to check. */
