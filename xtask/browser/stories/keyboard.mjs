// The whole purchase by somebody who has no mouse: only Tab, Enter and text.
import assert from "node:assert/strict";

import { faultOfFocus } from "../page.mjs";
import { BUYER, arriveAtShop, paymentId } from "../steps.mjs";

const STOPS_MAX = 80;
/** No other state begins with this letter. */
const STATE_NAME = "Tocantins";

export const stories = [
  ["a purchase by keyboard", { width: 1280 }, purchase],
  ["a purchase by keyboard on a narrow screen, without scripts", { width: 360, script: false },
    purchase],
];

async function purchase(visit, { full }) {
  const { page, words } = visit;
  await visit.open(full.url);
  await press(visit, visit.button(words.generate));
  await page.locator("[role=alert]:focus").waitFor();
  await press(visit, page.locator("[role=alert] a").first());
  await page.locator("#name:focus").waitFor();
  await page.keyboard.type(BUYER.name);
  const { name: _, ...rest } = BUYER;
  for (const [id, text] of Object.entries(rest)) await type(visit, id, text);
  await type(visit, "state", STATE_NAME);
  assert.equal(await page.locator("#state").inputValue(), "TO");
  await press(visit, visit.button(words.generate));
  await visit.arrive(words.pay);
  const id = paymentId(visit);
  if (visit.buyer.script) {
    await press(visit, visit.button(words.copy));
    await page.getByText(words.copied).waitFor();
  }
  await press(visit, visit.button(words.simulate));
  await visit.arrive(words.paid);
  if (visit.buyer.script) await press(visit, visit.button(words.stay));
  await press(visit, visit.link(words.back));
  await arriveAtShop(visit, id);
}

export async function press(visit, control) {
  await tabTo(visit, control);
  await visit.page.keyboard.press("Enter");
}

export async function type(visit, id, text) {
  await tabTo(visit, visit.page.locator(`#${id}`));
  await visit.page.keyboard.type(text);
  assert.notEqual(await visit.page.locator(`#${id}`).inputValue(), "", id);
}

/** Goes on from stop to stop, each of which must be seen, until the control is reached. */
export async function tabTo({ page }, control) {
  await control.waitFor();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(faultOfFocus), "");
    if (await control.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${control} cannot be reached with Tab`);
}
