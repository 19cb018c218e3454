// Why a webhook did not arrive, and what was refused, in the dashboard.
import { PASSWORD } from "../api.mjs";
import { Shop } from "../shop.mjs";

export const stories = [
  ["a failing webhook on a phone", { width: 360 }, mend],
  ["a failing webhook on a tablet", { width: 768 }, mend],
  ["a failing webhook on a desk", { width: 1280 }, mend],
  ["a failing webhook on a desk, in English", { width: 1280, lang: "en" }, mend],
  ["a failing webhook on a phone, without scripts", { width: 360, script: false }, mend],
];

async function mend(visit) {
  const { page, world } = visit;
  const { base } = world.server;
  const shop = await Shop.open(base);
  await visit.open(`${base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("main form button").click();
  await page.locator(`a[href$="/developers"]`).first().waitFor({ state: "attached" });
  const developers = `${base}/dashboard/dev/developers`;
  await visit.open(developers);
  await visit.checkDesk("developers-first");
  await visit.open(`${developers}/webhooks`);
  await visit.checkDesk("webhooks-none");
  // Nothing listens there.
  const hook = await shop.webhook({ url: `${base.replace(/:\d+$/, ":9")}/hook`, events: ["*"] });
  await shop.product({ name: "Caneca", price: 1_000 });
  await shop.attempted(hook.id);
  await visit.open(`${developers}/webhooks`);
  await visit.checkPlain("webhooks");
  await page.locator(`a[href$="/webhooks/${hook.id}"]`).click();
  await page.locator("#deliveries").waitFor();
  await page.locator(".deliveries summary").first().click();
  await visit.checkDesk("webhook");
  await page.locator(`form[action$="/diagnose"] button`).click();
  await page.locator(`form[action$="/diagnose"] input`).waitFor();
  await visit.checkDesk("diagnosis");
  await visit.open(`${developers}/webhooks/${hook.id}`);
  await page.locator(`form[action$="/resend"] button`).first().click();
  await page.getByRole("status").first().waitFor();
  await shop.refused();
  await visit.open(`${developers}/requests?status=4xx,5xx`);
  await visit.checkDesk("requests-refused");
  await visit.open(`${developers}/requests`);
  await visit.checkPlain("requests");
  await page.locator(`main section a[href*="/developers/requests/"]`).first().click();
  await page.locator("#facts").waitFor();
  await visit.checkPlain("request");
  await visit.open(`${developers}/requests?code=NOTHING`);
  await visit.checkDesk("requests-none-match");
}
