// A person's account in the dashboard: the second step, the team, the history.
import { PASSWORD } from "../api.mjs";
import { code } from "../people.mjs";
import { Shop } from "../shop.mjs";

export const stories = [
  ["an account on a phone", { width: 360 }, secure],
];

async function secure(visit) {
  const { page, world } = visit;
  const { base } = world.server;
  const shop = await Shop.open(base);
  await visit.open(`${base}/sign-in`);
  await page.locator("#email").fill(shop.email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("main form button").click();
  await page.locator(`a[href="/account/profile"]`).waitFor({ state: "attached" });
  await visit.open(`${base}/account/team/invite`);
  await page.locator("#email").fill("bia@example.com");
  await page.locator("main form.fields button").click();
  // Without a second step the form waits until there is one.
  await page.locator(`a[href^="/account/security/second-step"]`).waitFor();
  await visit.checkDesk("account-refused");
  await page.locator(`a[href^="/account/security/second-step"]`).click();
  await page.locator(`form[action$="/second-step"]`).waitFor();
  await visit.checkDesk("account-second-step");
  await page.locator("#password").fill(PASSWORD);
  await page.locator(`form[action$="/second-step"] button`).click();
  const secret = await page.locator("#secret").innerText();
  await visit.checkDesk("account-enrollment");
  await page.locator("#code").fill(code(secret));
  await page.locator(`form[action$="/confirm"] button`).click();
  await page.locator("#codes").waitFor();
  await visit.checkDesk("account-codes");
  await page.locator("a.action.main").click();
  await page.locator(`form[action$="/invite"]`).waitFor();
  await page.locator(`form[action$="/invite"] button`).click();
  await page.locator("a.action.main").click();
  await page.locator("#roles").waitFor();
  await page.locator(`a[href*="/invitations/"]`).click();
  await page.locator(`form[action$="/resend"]`).waitFor();
}
