// Payment links in the dashboard: making one, sending it, changing it, and switching it off.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

/** What a page may weigh, compressed, once the browser has the files. */
const NEXT_VIEW_BYTES_MAX = 12 * 1024;

const WORDS = {
  "pt-BR": {
    signIn: "Entrar", home: "Início", links: "Links de pagamento", first: "Criar o primeiro link",
    create: "Criar link", newLink: "Novo link", preview: "Ver prévia",
    previewTitle: "Prévia do checkout", checkFields: "Confira estes campos",
    made: "O link foi criado. Envie o endereço ao comprador.", copy: "Copiar endereço",
    copied: "Copiado.", edit: "Editar link", save: "Salvar", changed: "O link foi alterado.",
    off: "Desligar", offNow: "Desligar agora", on: "Ligar", isOff: "O link foi desligado.",
    isOn: "O link foi ligado.", carts: "Carrinhos abandonados: ", duplicate: "Duplicar",
  },
  en: {
    signIn: "Sign in", home: "Home", links: "Payment links", first: "Create the first link",
    create: "Create link", newLink: "New link", preview: "Preview",
    previewTitle: "Preview of the checkout", checkFields: "Please check these fields",
    made: "The link was created. Send its address to the buyer.", copy: "Copy address",
    copied: "Copied.", edit: "Edit link", save: "Save", changed: "The link was changed.",
    off: "Switch off", offNow: "Switch off now", on: "Switch on",
    isOff: "The link was switched off.", isOn: "The link was switched on.",
    carts: "Abandoned carts: ", duplicate: "Duplicate",
  },
};

export const stories = [
  ["a link is made on a phone", { width: 360 }, makeLink],
  ["a link is made on a phone, without scripts", { width: 360, script: false }, makeLink],
  ["a link is made on a tablet", { width: 768 }, makeLink],
  ["a link is made on a desk", { width: 1280 }, makeLink],
  ["a link is made on a desk, in English", { width: 1280, lang: "en" }, makeLink],
  ["a link is made on a desk, without scripts", { width: 1280, script: false }, makeLink],
];

async function makeLink(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  const shop = await Shop.open(world.server.base);
  await shop.product({ name: "Caneca de cerâmica", price: 4_500 });
  await signIn(visit, shop);
  const links = `${world.server.base}/dashboard/dev/links`;
  await visit.open(links);
  await visit.checkDesk("links-empty");
  const before = visit.bytes;
  await visit.link(words.first).click();
  await visit.arrive(words.newLink);
  const weight = visit.bytes - before;
  assert.ok(weight <= NEXT_VIEW_BYTES_MAX, `the form weighs ${weight}`);
  await visit.checkPlain("link-new");
  await correct(visit);
  await visit.button(words.create).click();
  await visit.arrive("Café 250 g");
  await page.getByRole("status").filter({ hasText: words.made }).waitFor();
  if (visit.buyer.script) await copy(visit);
  await visit.checkPlain("link");
  await change(visit);
  await visit.link(words.duplicate).click();
  await visit.arrive(words.newLink);
  assert.equal(await page.locator("#title").inputValue(), "Café 500 g");
  await shop.link({ title: "Um título bastante longo de um curso com três módulos",
    products: [{ productId: (await shop.product({ name: "Curso", price: 120_000 })).id,
      quantity: 1 }] });
  await visit.open(links);
  await visit.checkPlain("links");
  await visit.open(`${links}?q=nothing`);
  await visit.checkDesk("links-none");
  return `${weight} bytes`;
}

/** Sends the form with mistakes, looks at the checkout, and leaves the form right. */
async function correct(visit) {
  const { page } = visit;
  const words = WORDS[visit.buyer.lang];
  const closed = page.locator("main form details:not([open]) > summary");
  while (await closed.count() > 0) await closed.first().click();
  await visit.checkDesk("link-new-open");
  await page.locator("#amountCents").fill("vinte");
  await page.locator("[id='settings.maxInstallments']").selectOption("6");
  await page.locator("[id='settings.interestFreeInstallments']").selectOption("3");
  await page.locator("[id='settings.interestRate']").fill("2,99");
  await page.locator("#stockQuantity").fill("muitas");
  await visit.button(words.create).click();
  const errors = page.locator("[role=alert]:focus");
  await errors.getByRole("heading", { name: words.checkFields, exact: true }).waitFor();
  assert.equal(visit.status, 422);
  await visit.checkDesk("link-refused");
  await page.locator("#title").fill("Café 250 g");
  await page.locator("#amountCents").fill("49,90");
  await page.locator("#stockQuantity").fill("");
  await visit.button(words.preview).click();
  await page.getByRole("heading", { name: words.previewTitle, exact: true }).waitFor();
  await visit.checkDesk("link-preview");
}

async function copy(visit) {
  const { page, world } = visit;
  const words = WORDS[visit.buyer.lang];
  await visit.button(words.copy).click();
  await page.getByRole("status").filter({ hasText: words.copied }).first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith(`${world.server.base}/pay/`), copied);
}

/** Changes the link, switches it off and on, and looks at its carts. */
async function change(visit) {
  const { page } = visit;
  const words = WORDS[visit.buyer.lang];
  const here = page.url();
  await visit.link(words.edit).click();
  await visit.arrive(words.edit);
  await page.locator("#title").fill("Café 500 g");
  await visit.checkPlain("link-edit");
  await visit.button(words.save).click();
  await visit.arrive("Café 500 g");
  await page.getByRole("status").filter({ hasText: words.changed }).waitFor();
  await visit.link(words.off).click();
  await visit.arrive(`${words.off}: Café 500 g`);
  await visit.checkPlain("link-off");
  await visit.button(words.offNow).click();
  await page.getByRole("status").filter({ hasText: words.isOff }).waitFor();
  await visit.checkDesk("link-is-off");
  await visit.button(words.on).click();
  await page.getByRole("status").filter({ hasText: words.isOn }).waitFor();
  await leaveCart(await page.locator("#link-url").textContent());
  await visit.open(`${here}/carts`);
  await visit.arrive(`${words.carts}Café 500 g`);
  await visit.checkPlain("link-carts");
  await visit.open(here);
}

/** A buyer begins the checkout at an address, and goes. */
async function leaveCart(address) {
  const { origin, pathname } = new URL(address);
  const slug = pathname.split("/").at(-1);
  const path = `/api/payment-links/public/slug/${slug}/cart-abandonment`;
  const cart = { clientName: "Fulano de Tal", clientEmail: "fulano@example.com" };
  const headers = { "content-type": "application/json" };
  const reply = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(cart) });
  assert.ok(reply.ok, await reply.text());
}

async function signIn(visit, shop) {
  const words = WORDS[visit.buyer.lang];
  await visit.open(`${visit.world.server.base}/sign-in`);
  await visit.page.locator("#email").fill(shop.email);
  await visit.page.locator("#password").fill(PASSWORD);
  await visit.button(words.signIn).click();
  await visit.arrive(words.home);
}
