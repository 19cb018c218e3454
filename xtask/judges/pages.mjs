// Photographs hosted pages for a judge who reads codes: node pages.mjs BROWSER PAGES FOLDER
//
// It runs in a folder that has `playwright-core`. PAGES is a JSON file: each page has a name, a
// URL, the width of the window, the selectors of what is photographed, by name, and whether it is
// printed too. The pictures are left in FOLDER as NAME.SELECTOR.STRIP.png, the prints as NAME.pdf.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { launch, SIZES } from "../browser/chromium.mjs";

/** While one page waits for the server, another one is painted. */
const TABS = 3;

const [browserProgram, pagesFile, folder] = process.argv.slice(2);
const pages = JSON.parse(readFileSync(pagesFile, "utf8"));
const browser = await launch(browserProgram);
await Promise.all(Array.from({ length: TABS }, work));
await browser.close();

/** One tab, which takes the next page as long as there are any. */
async function work() {
  const context = await browser.newContext({ colorScheme: "light" });
  const tab = await context.newPage();
  const wire = await context.newCDPSession(tab);
  for (let page = pages.shift(); page; page = pages.shift()) {
    await tab.setViewportSize(SIZES[page.width]);
    await tab.goto(page.url);
    for (const [name, selector] of Object.entries(page.codes)) {
      await photograph(tab, wire, selector, join(folder, `${page.name}.${name}`));
    }
    if (page.printed) {
      await tab.pdf({ path: join(folder, `${page.name}.pdf`), format: "A4" });
    }
  }
}

/** What is wider than its place is scrolled, and taken strip by strip. */
async function photograph(tab, wire, selector, path) {
  for (let strip = 0, isLast = false; !isLast; strip += 1) {
    const shown = await tab.evaluate(show, { selector, strip });
    isLast = shown.isLast;
    const clip = { ...shown.clip, scale: 1 };
    const { data } = await wire.send("Page.captureScreenshot", { clip, optimizeForSpeed: true });
    await writeFile(`${path}.${strip}.png`, data, "base64");
  }
}

/** Runs inside the page: brings a strip into sight, and says where in the document it is. */
function show({ selector, strip }) {
  const element = document.querySelector(selector);
  element.scrollIntoView({ block: "center" });
  const { clientWidth, scrollWidth } = element;
  const wide = scrollWidth > clientWidth;
  const box = element.getBoundingClientRect();
  const [x, y, height] = [box.x + scrollX, box.y + scrollY, box.height];
  if (!wide) return { isLast: true, clip: { x, y, width: box.width, height } };
  const begin = strip * clientWidth;
  element.scrollLeft = begin;
  const hidden = begin - element.scrollLeft;
  const isLast = begin + clientWidth >= scrollWidth;
  return { isLast, clip: { x: x + hidden, y, width: clientWidth - hidden, height } };
}
