// Every page of the dashboard, of people's accounts and of administrators: at every width, by day
// and by night, in both languages. What is opened is compared with the program's own table of
// routes, so that no page is left out.
import assert from "node:assert/strict";

import { PASSWORD } from "../api.mjs";
import { startAcquirer } from "../banks.mjs";
import { ADMINISTRATOR, burden, settle } from "../estate.mjs";
import { startMailbox } from "../mailbox.mjs";
import { pagesOfPeople, patternOf } from "../pages.mjs";
import { signIn } from "../people.mjs";
import { startServer } from "../server.mjs";
import { Visit } from "../visit.mjs";
import {
  FILES, FOR_ADMINISTRATORS, FOR_MERCHANTS, FOR_STRANGERS, STREAM, WITHOUT_A_PICTURE,
} from "./every_page/addresses.mjs";

const LANGUAGES = ["pt-BR", "en"];

export const stories = [
  ["every page there is", { width: 1280 }, everyPage],
];

async function everyPage(visit) {
  const { program } = visit.world;
  const began = Date.now();
  const [mailbox, acquirer] = await Promise.all([startMailbox(), startAcquirer()]);
  const more = ["--smtp-url", mailbox.url, "--mail-from", "Tostão <avisos@example.com>"];
  const before = ["admin", "create", "--email", ADMINISTRATOR, "--password", PASSWORD];
  const [empty, server] = await Promise.all([
    startServer(program, { log: "text" }), startServer(program, { more, before }),
  ]);
  const ids = {};
  const walk = new Walk(visit.page.context().browser(), visit.world, ids);
  try {
    await walk.stroll(empty, FOR_STRANGERS.first(setupLink(empty)));
    const { shop, ids: own } = await settle(server, mailbox);
    const { admin, ids: waiting } = await burden(server, acquirer);
    Object.assign(ids, own, waiting);
    await write(shop, mailbox, ids);
    const ready = Date.now();
    // A second step, which the others have, ends the change of an address.
    await walk.stroll(server, FOR_STRANGERS.later(ids));
    await walk.strollAs(server, shop, FOR_MERCHANTS(ids));
    await walk.strollAs(server, admin, FOR_ADMINISTRATORS(ids));
    walk.expectAll();
    const seconds = (from) => Math.round((Date.now() - from) / 1_000);
    return `${walk.count} pages, ${seconds(began)} s, ${seconds(ready)} s of them looking`;
  } finally {
    acquirer.stop();
    mailbox.stop();
    await Promise.all([empty.stop(), server.stop()]);
  }
}

/** The address that a server without accounts shows, before it serves. */
function setupLink(server) {
  const [address] = server.log.join("\n").match(/\/setup\/[\w-]+/u) ?? [];
  assert.ok(address, `no address for the first account: ${server.log.join("\n")}`);
  return address;
}

/** Asks for what is confirmed by the links of mails. */
async function write(shop, mailbox, ids) {
  await shop.ask("POST", "/api/auth/password-resets", { email: shop.email });
  const change = { email: "nova@example.com", password: PASSWORD };
  await shop.ask("POST", "/api/auth/email", change);
  ids.reset = await mailbox.arrived(shop.email, /\/reset\/[\w-]+/u);
  ids.emailChange = await mailbox.arrived(change.email, /\/email-change\/[\w-]+/u);
  ids.emailStop = await mailbox.arrived(shop.email, /\/email-change\/[\w-]+\/stop/u);
}

/** What a page gets at an address of its own server. */
async function kindOfFile(address) {
  const file = await fetch(address);
  return file.ok ? file.headers.get("content-type") : `text/html ${file.status}`;
}

/** Opens pages, remembers which, and collects what is wrong with them. */
class Walk {
  #patterns = pagesOfPeople();
  #opened = new Set();
  /** Where each of them was seen. */
  #faults = new Map();
  #browser;
  #ids;
  #world;

  constructor(browser, world, ids) {
    Object.assign(this, { count: 0 });
    this.#browser = browser;
    this.#ids = ids;
    this.#world = world;
  }

  /** Opens pages as somebody who has not signed in. */
  async stroll(server, addresses) {
    await this.#as(server, async () => {}, addresses);
  }

  /** Opens pages as a person, who then has a second step. */
  async strollAs(server, account, addresses) {
    const enter = async (visit) => {
      await signIn(visit, account.email);
      await account.secure();
    };
    await this.#as(server, enter, addresses);
  }

  /** Fails where a page was not opened, or is not as it should be. */
  expectAll() {
    const missing = this.#patterns.filter((pattern) => !this.#opened.has(pattern));
    assert.deepEqual(missing, [], "pages that were not opened");
    const faults = [...this.#faults].map(([fault, where]) => `${fault} (${where.join("; ")})`);
    assert.equal(faults.length, 0, faults.join("\n"));
  }

  async #as(server, enter, addresses) {
    const buyer = { width: 1280, lang: LANGUAGES[0], script: true };
    const visit = await Visit.begin(this.#browser, { ...this.#world, server }, buyer);
    await enter(visit);
    await visit.bringJudge();
    for (const lang of LANGUAGES) {
      await visit.speak(lang);
      for (const address of addresses) await this.#look(visit, address);
    }
    if (visit.asked(STREAM.replace("{mode}", "dev"))) this.#opened.add(STREAM);
    await visit.end();
  }

  /** What the pictures of a page are called: its address, with names in the place of ids. */
  #name(address) {
    const names = Object.entries(this.#ids).reduce(
      (text, [name, id]) => text.replaceAll(id, `-${name}`), address.replace(/setup.+/u, "setup"),
    );
    return names.replaceAll(/\W+/gu, "-").replaceAll(/^-|-$/gu, "");
  }

  async #look(visit, address) {
    const { base } = visit.world.server;
    const pattern = patternOf(address, this.#patterns);
    assert.ok(pattern, `${address} is no page`);
    this.#opened.add(pattern);
    if (FILES.includes(pattern)) {
      const type = await visit.page.evaluate(kindOfFile, address);
      assert.ok(!type.startsWith("text/html"), `${address}: ${type}`);
      return;
    }
    await visit.open(base + address);
    const expected = /\/(?:\{\*rest\})?$/u.test(pattern) ? 404 : 200;
    if (visit.status !== expected) this.#note(`${address} answers ${visit.status}`, "");
    if (WITHOUT_A_PICTURE.includes(pattern)) return;
    this.count += 1;
    const isFirst = visit.buyer.lang === LANGUAGES[0];
    const faults = await visit.checkEveryWidth(this.#name(address), isFirst);
    for (const [where, fault] of faults) {
      this.#note(`${address}: ${fault}`, `${visit.buyer.lang}, ${where}`);
    }
  }

  #note(fault, where) {
    this.#faults.set(fault, [...(this.#faults.get(fault) ?? []), where]);
  }
}
