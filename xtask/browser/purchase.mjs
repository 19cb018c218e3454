// The hosted checkout and the dashboard in a real browser: node purchase.mjs PROGRAM BROWSER
//
// It runs in a folder that has `playwright-core`, where the pictures go too. Every story begins
// in a fresh profile; one that fails leaves a picture of its last page. Further arguments are parts
// of names: only stories that have one of them in theirs are run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { cwd } from "node:process";

import { launch } from "./chromium.mjs";
import { startServer, startSite } from "./server.mjs";
import { stories as account } from "./stories/account.mjs";
import { stories as acquirer } from "./stories/acquirer.mjs";
import { stories as closed } from "./stories/closed.mjs";
import { stories as coupons } from "./stories/coupons.mjs";
import { stories as dashboard } from "./stories/dashboard.mjs";
import { stories as developers } from "./stories/developers.mjs";
import { stories as everyPage } from "./stories/every_page.mjs";
import { stories as goods } from "./stories/goods.mjs";
import { stories as links } from "./stories/links.mjs";
import { stories as methods } from "./stories/methods.mjs";
import { stories as money } from "./stories/money.mjs";
import { stories as partners } from "./stories/partners.mjs";
import { stories as keyboard } from "./stories/keyboard.mjs";
import { stories as recurring } from "./stories/recurring.mjs";
import { stories as subscriptions } from "./stories/subscriptions.mjs";
import { stories as tasks } from "./stories/tasks.mjs";
import { stories as time } from "./stories/time.mjs";
import { stock, stories as whole } from "./stories/whole.mjs";
import { Visit } from "./visit.mjs";

const ALL = [
  ...whole, ...methods, ...acquirer, ...coupons, ...keyboard, ...time, ...closed,
  ...subscriptions, ...dashboard, ...developers, ...goods, ...links, ...money, ...recurring,
  ...partners, ...account, ...tasks, ...everyPage,
];
const BUYER = { width: 360, lang: "pt-BR", script: true };

const [program, executablePath, ...wanted] = process.argv.slice(2);
const isWanted = ([name]) => wanted.length === 0 || wanted.some((words) => name.includes(words));
const stories = ALL.filter(isWanted);
if (stories.length === 0) throw new Error(`no story has ${wanted.join(" or ")} in its name`);

const [server, site] = await Promise.all([startServer(program), startSite()]);
const browser = await launch(executablePath);
const picture = (name) => join(cwd(), `${name}.png`);
const world = { program, server, site, picture };
const stocked = await stock(world);

let failed = 0;
for (const [name, buyer, story] of stories) {
  const fault = await run(name, { ...BUYER, ...buyer }, story);
  if (fault) failed += 1;
}
await browser.close();
await Promise.all([server.stop(), site.stop()]);
console.log(`${stories.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs one story and prints how it went; answers with what went wrong, if anything did. */
async function run(name, buyer, story) {
  const visit = await Visit.begin(browser, world, buyer);
  const started = Date.now();
  try {
    const note = await story(visit, stocked);
    assert.deepEqual(visit.faults(), []);
    const seconds = ((Date.now() - started) / 1_000).toFixed(1);
    console.log(`ok      ${seconds.padStart(5)} s  ${name}${note ? `: ${note}` : ""}`);
    return null;
  } catch (fault) {
    console.log(`FAILED  ${name}, at ${visit.page.url()}\n${fault.stack}`);
    await visit.page.screenshot({ path: picture(`failed ${name}`), fullPage: true });
    return fault;
  } finally {
    await visit.end();
  }
}
