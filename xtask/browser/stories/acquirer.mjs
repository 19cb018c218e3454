// The card page whose tokenizer is an acquirer's: the page's own script against a stand-in for it,
// which takes cards in Pagar.me's form and has the simulated bank keep them.
import assert from "node:assert/strict";

import { SIZES } from "../chromium.mjs";
import { BUYER, fill } from "../steps.mjs";

const ACQUIRER = "https://acquirer.example";
const TOKENS = `${ACQUIRER}/core/v5/tokens?appId=pk_1`;
const GOOD = "4242424242424242";
const WRONG = "4242424242424241";

const BUYERS = Object.keys(SIZES).map(Number)
  .flatMap((width) => ["pt-BR", "en"].map((lang) => ({ width, lang })));

export const stories = [
  ...BUYERS.map((buyer) => [
    `a card that goes to the acquirer at ${buyer.width} px, in ${buyer.lang}`, buyer, byCard,
  ]),
  ...BUYERS.map((buyer) => [
    `a card for an acquirer without scripts at ${buyer.width} px, in ${buyer.lang}`,
    { ...buyer, script: false }, withoutScripts,
  ]),
];

async function byCard(visit, { short }) {
  const { page, words } = visit;
  const { cards, answers } = await openCard(visit, short);
  await visit.check("acquirer");
  const send = () => visit.button(words.cardPay).click();
  const error = async (id, text) =>
    page.locator(`#${id}-error`).and(page.getByText(text)).waitFor();

  // What the acquirer need not be asked for is said at once.
  await type(visit, { number: WRONG, expiry: "12/20", cvv: "1", holder: " " });
  await send();
  await error("number", words.invalidNumber);
  await error("expiry", words.cardExpired);
  await error("cvv", words.invalidCvv);
  await page.locator("#number:focus").waitFor();
  await visit.check("acquirer-refused");
  assert.equal(cards.length, 0);

  await type(visit, { number: GOOD, expiry: "12/30", cvv: "123", holder: BUYER.name });
  answers.push({ status: 422, errors: { "card.holder_name": ["invalid"] } });
  await send();
  await page.locator("#number-error:empty").waitFor({ state: "attached" });
  await error("holder", words.invalidHolder);
  answers.push({ status: 503 });
  await send();
  await page.getByRole("alert").filter({ hasText: words.acquirerSilent }).waitFor();
  await visit.check("acquirer-silent");

  await send();
  await visit.arrive(words.paid);
  const { type: kind, card } = cards.at(-1);
  assert.equal(kind, "card");
  const { number, holder_name, exp_month, exp_year, cvv } = card;
  assert.deepEqual([number, holder_name, exp_month, exp_year, cvv],
    [GOOD, BUYER.name, 12, 2030, "123"]);
}

async function withoutScripts(visit, { short }) {
  const { page, words } = visit;
  await openCard(visit, short);
  await page.getByRole("heading", { name: words.needsScript, exact: true }).waitFor();
  assert.equal(await page.locator("#number").isVisible(), false);
  await visit.check("acquirer-plain");
  await visit.button(words.payByPix).click();
  await visit.arrive(words.pay);
}

/** Goes to the card page, as it is where the acquirer has a tokenizer of its own. */
async function openCard(visit, link) {
  const { page, words } = visit;
  const acquirer = await standIn(visit);
  await visit.open(link.url);
  await fill(visit);
  await page.getByRole("radio", { name: words.card }).check();
  await visit.button(words.cardGo).click();
  await visit.arrive(words.cardDetails);
  // A redirect's own page is not intercepted.
  await page.route(/\/card\?state=/, async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    const policy = headers["content-security-policy"];
    headers["content-security-policy"] =
      policy.replace("connect-src 'self'", `connect-src 'self' ${ACQUIRER}`);
    await route.fulfill({ response, headers, body: asAcquirers(await response.text(), visit) });
  });
  await page.reload();
  await visit.arrive(words.cardDetails);
  return acquirer;
}

/** An acquirer's tokenizer: the cards that it was sent, and the refusals that come first. */
async function standIn(visit) {
  const { page, world } = visit;
  const cards = [], answers = [];
  visit.allow(ACQUIRER);
  await page.route((url) => url.href === TOKENS, async (route) => {
    const sent = route.request().postDataJSON();
    cards.push(sent);
    const headers = { "access-control-allow-origin": "*" };
    const refusal = answers.shift();
    if (refusal) {
      const json = { message: "No.", errors: refusal.errors };
      return route.fulfill({ status: refusal.status, headers, json });
    }
    const { number, holder_name: holderName, exp_month: expMonth, exp_year: expYear, cvv } =
      sent.card;
    const body = JSON.stringify({ number, holderName, expMonth, expYear, cvv });
    const kept = await fetch(`${world.server.base}/sandbox/card-tokens`, {
      method: "POST", headers: { "content-type": "application/json" }, body,
    });
    return route.fulfill({ headers, json: { id: (await kept.json()).cardToken } });
  });
  return { cards, answers };
}

/** The page with another tokenizer: it has no form, and its API another form of cards. */
function asAcquirers(html, { words }) {
  const notice = `<noscript><div class="errors"><h2>${words.needsScript}</h2></div></noscript>`;
  return html
    .replace(/<form id="card" method="post" action="[^"]*"/,
      `${notice}<form id="card" method="dialog"`)
    .replace(/data-tokens="[^"]*"/, `data-tokens="${TOKENS}"`)
    .replace('data-dialect="sandbox"', 'data-dialect="pagarme"');
}

async function type({ page }, card) {
  for (const [id, text] of Object.entries(card)) await page.locator(`#${id}`).fill(text);
}
