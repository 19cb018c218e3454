// The pictures of the README: node pictures.mjs PROGRAM BROWSER FOLDER
//
// It runs in a folder that has `playwright-core`. They show what a server shows that has just been
// started: a link's form and code, as a buyer sees them on a phone, and the documentation.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { launch } from "./chromium.mjs";
import { startServer } from "./server.mjs";
import { Shop } from "./shop.mjs";
import { BUYER } from "./steps.mjs";
import { WORDS } from "./words.mjs";

const LANG = "pt-BR";
const PHONE = { viewport: { width: 360, height: 760 }, deviceScaleFactor: 1.5, isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 };
const BYTES_MAX = 60 * 1024;

const [program, executablePath, folder] = process.argv.slice(2);
const server = await startServer(program);
const browser = await launch(executablePath);

const shop = await Shop.open(server.base);
const link = await shop.link({
  title: "Café especial 250 g",
  amountCents: 4_990,
  description: "Torra média, moído na hora do envio.",
});
const buyer = await open(PHONE, link.url);
for (const field of ["name", "email", "document"]) {
  await buyer.locator(`#${field}`).fill(BUYER[field]);
}
await buyer.evaluate(() => document.activeElement.blur());
await take(buyer, "checkout");
await buyer.getByRole("button", { name: WORDS[LANG].generate, exact: true }).click();
await buyer.getByRole("heading", { level: 1, name: WORDS[LANG].pay, exact: true }).waitFor();
await take(buyer, "code");
const reader = await open(DESKTOP, `${server.base}/docs/api/payment-links#createpaymentlink`);
await take(reader, "documentation");

await browser.close();
await server.stop();

async function open(device, url) {
  const context = await browser.newContext({ ...device, locale: LANG, colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** WebP is a third of what PNG takes; the browser draws only the latter by itself. */
async function take(page, name) {
  const drawn = (await page.screenshot()).toString("base64");
  const blank = await browser.newPage();
  const packed = await blank.evaluate(pack, drawn);
  await blank.close();
  const picture = Buffer.from(packed, "base64");
  if (picture.length > BYTES_MAX) throw new Error(`${name} has ${picture.length} bytes`);
  await writeFile(join(folder, `${name}.webp`), picture);
  console.log(`${name}.webp: ${picture.length} bytes`);
}

async function pack(drawn) {
  const png = await (await fetch(`data:image/png;base64,${drawn}`)).blob();
  const picture = await createImageBitmap(png);
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const webp = await canvas.convertToBlob({ type: "image/webp", quality: 0.75 });
  return btoa(String.fromCharCode(...new Uint8Array(await webp.arrayBuffer())));
}
