// One buyer in a fresh browser profile, watched for whatever a good page does not do.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { cwd } from "node:process";

import { SIZES } from "./chromium.mjs";
import {
  brightness, faultsOfRings, faultsOfStructure, overflow, violations,
} from "./page.mjs";
import { WORDS } from "./words.mjs";

const WAIT_MS = 10_000;
/** Judges a page by the rules of WCAG. */
const AXE = createRequire(`${cwd()}/`)("axe-core").source;
/** WCAG asks that a page can be read at this width without scrolling sideways. */
const NARROWEST = { width: 320, height: 640 };
/** The colours of each hour, and the widths at which they are looked at. */
const HOURS = [["light", Object.keys(SIZES).map(Number)], ["dark", [1280, 360]]];
/** The widths that are kept as pictures. */
const DRAWN = [360, 1280];
/** What may differ by night. */
const OF_COLOUR = ["color-contrast", "link-in-text-block"];

let buyers = 0;

/** A page, its buyer's words, and what went wrong so far. */
export class Visit {
  #faults = [];
  #hosts;
  #refusedDocuments = new Set();
  #requests = [];

  constructor(page, world, buyer) {
    Object.assign(this, { page, world, buyer, words: WORDS[buyer.lang], bytes: 0, status: 0 });
    this.#hosts = { own: new URL(world.server.base).host, shop: new URL(world.site.url).host };
  }

  /** Opens a profile for a buyer: `{ width, lang, script }`. */
  static async begin(browser, world, buyer) {
    const context = await browser.newContext({
      viewport: SIZES[buyer.width],
      locale: buyer.lang,
      javaScriptEnabled: buyer.script,
      colorScheme: "light",
      permissions: ["clipboard-read", "clipboard-write"],
      extraHTTPHeaders: { "x-forwarded-for": ownAddress() },
      serviceWorkers: "block",
    });
    context.setDefaultTimeout(WAIT_MS);
    const visit = new Visit(await context.newPage(), world, buyer);
    await visit.#watch(context);
    return visit;
  }

  /** Lets the page's script call one other server. */
  allow(origin) {
    this.#hosts.called = new URL(origin).host;
  }

  async end() {
    await this.page.context().close();
  }

  async open(url) {
    await this.page.goto(url);
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  link(name) {
    return this.page.getByRole("link", { name, exact: true });
  }

  /** Waits until the page's main heading says this. */
  async arrive(heading) {
    await this.page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  }

  /** Whether any request went to a path that begins so. */
  asked(path) {
    return this.#requests.some((url) => new URL(url).pathname.startsWith(path));
  }

  /** Holds the page against everything that every page owes, and takes its picture. */
  async check(name) {
    const { page, buyer, world } = this;
    const faults = await page.evaluate(faultsOfStructure, buyer.lang);
    for (const size of [NARROWEST, SIZES[buyer.width]]) {
      await page.setViewportSize(size);
      faults.push(...(await page.evaluate(overflow)));
    }
    const file = `${buyer.width}-${buyer.lang}-${buyer.script ? "js" : "plain"}-${name}`;
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      const { paper, ink } = await page.evaluate(brightness);
      const fits = colorScheme === "dark" ? paper < ink : paper > ink;
      if (!fits) faults.push(`${colorScheme}: paper ${paper}, ink ${ink}`);
      const rings = await page.evaluate(faultsOfRings);
      faults.push(...rings.map((ring) => `${colorScheme}: ${ring}`));
      const path = world.picture(`${file}-${colorScheme}`);
      await page.screenshot({ path, fullPage: true, animations: "disabled" });
    }
    assert.deepEqual([...faults, ...this.faults()], [], name);
  }

  /** The same of a page that is looked at with scripts where every page is. */
  async checkPlain(name) {
    if (!this.buyer.script) await this.check(name);
  }

  /** Proves that the form has come back with its errors, which lead to so many fields. */
  async refused(fields) {
    const errors = this.page.locator("[role=alert]");
    await errors.waitFor();
    assert.equal(this.status, 422);
    assert.equal(await errors.getByRole("link").count(), fields);
  }

  /** The same of a page of the dashboard, which axe-core judges, too, by day and by night. */
  async checkDesk(name) {
    await this.check(name);
    // Its rules wait for timers, which a page without scripts does not have.
    if (!this.buyer.script) return;
    const { page } = this;
    await page.evaluate(AXE);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(violations, null);
      assert.deepEqual(found, [], `${name}, ${colorScheme}`);
    }
  }

  /** Gives every page that is opened from now on what judges it. */
  async bringJudge() {
    await this.page.context().addInitScript(AXE);
  }

  /**
   * Holds a page that stays open against the same at every width, by day and by night; answers
   * with what is wrong, and where. In a further language only texts differ: it is judged at one
   * width, and by day.
   */
  async checkEveryWidth(name, isFirst) {
    const { page, buyer, world } = this;
    await page.setViewportSize(NARROWEST);
    const faults = (await page.evaluate(overflow)).map((fault) => ["at 320 px", fault]);
    for (const [colorScheme, widths] of isFirst ? HOURS : HOURS.slice(0, 1)) {
      const isDay = colorScheme === "light";
      await page.emulateMedia({ colorScheme });
      const { paper, ink } = await page.evaluate(brightness);
      if (isDay ? paper <= ink : paper >= ink) faults.push([colorScheme, `${paper}, ${ink}`]);
      for (const width of widths) {
        await page.setViewportSize(SIZES[width]);
        const found = isDay ? await page.evaluate(overflow) : [];
        if (isDay) found.push(...(await page.evaluate(faultsOfStructure, buyer.lang)));
        if (isFirst || width === 360) {
          found.push(...(await page.evaluate(violations, isDay ? null : OF_COLOUR)));
        }
        if (width === 1280) found.push(...(await page.evaluate(faultsOfRings)));
        faults.push(...found.map((fault) => [`${colorScheme} at ${width} px`, fault]));
        if (!isDay || !DRAWN.includes(width)) continue;
        const path = world.picture(`every-${width}-${buyer.lang}-${name}`);
        await page.screenshot({ path, fullPage: true, animations: "disabled" });
      }
    }
    return [...faults, ...this.#faultsOnce()];
  }

  /** Reads what comes next in a language, as one who has chosen it. */
  async speak(lang) {
    const { buyer, page, world } = this;
    Object.assign(this, { buyer: { ...buyer, lang }, words: WORDS[lang] });
    await page.context().addCookies([{ name: "lang", value: lang, url: world.server.base }]);
  }

  /** What the browser complained about, and where it went without being allowed to. */
  faults() {
    const expected = ({ url, text }) =>
      this.#refusedDocuments.has(url) && text.startsWith("Failed to load resource");
    return this.#faults.filter((fault) => !expected(fault)).map(({ text }) => text);
  }

  /** What the browser complained about since the last look. */
  #faultsOnce() {
    const found = this.faults().map((fault) => ["in the browser", fault]);
    this.#faults.length = 0;
    return found;
  }

  async #watch(context) {
    const { page } = this;
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      this.#faults.push({ text: message.text(), url: message.location().url });
    });
    page.on("pageerror", (error) => this.#faults.push({ text: `uncaught: ${error}` }));
    page.on("request", (request) => this.#follow(request));
    page.on("response", (response) => {
      const request = response.request();
      const navigates = request.isNavigationRequest();
      if (navigates) this.status = response.status();
      // A form may be refused, also one that a script sends.
      const posted = navigates || request.method() === "POST";
      if (posted && response.status() >= 400) this.#refusedDocuments.add(response.url());
    });
    await this.#weigh(await context.newCDPSession(page));
  }

  /** Adds up the bodies as they come over the wire: what finished, less its head. */
  async #weigh(wire) {
    const heads = new Map();
    wire.on("Network.responseReceived", ({ requestId, response }) => {
      heads.set(requestId, response.encodedDataLength);
    });
    wire.on("Network.loadingFinished", ({ requestId, encodedDataLength: whole }) => {
      const head = heads.get(requestId);
      // What the browser remembered finishes with nothing.
      if (head !== undefined && whole > 0) this.bytes += whole - head;
    });
    await wire.send("Network.enable");
  }

  /** Only a buyer who leaves for the shop may cause a request to another host. */
  #follow(request) {
    const url = new URL(request.url());
    if (url.protocol === "data:") return;
    this.#requests.push(request.url());
    const leaves = request.isNavigationRequest() && url.host === this.#hosts.shop;
    const calls = !request.isNavigationRequest() && url.host === this.#hosts.called;
    if (url.host !== this.#hosts.own && !leaves && !calls) {
      this.#faults.push({ text: `a request went to ${request.url()}` });
    }
  }
}

/** Every buyer has an address of their own, for what may be asked so often from one address. */
function ownAddress() {
  buyers += 1;
  return `2001:db8:0:${buyers.toString(16)}::1`;
}
