// What is asked inside a page. The browser gets each function by itself, so none uses another.

/** What is wrong with the page for somebody who cannot see it, or cannot aim well. */
export function faultsOfStructure(lang) {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const name = (element) =>
    element.getAttribute("aria-label") || element.innerText?.trim() ||
    [...(element.labels ?? [])].map((label) => label.innerText.trim()).join(" ");
  const is = (element) => element.outerHTML.slice(0, 80);

  const own = document.documentElement.lang;
  if (own !== lang) faults.push(`the language is ${own}, not ${lang}`);
  if (document.title.trim() === "") faults.push("the page has no title");
  const headings = all("h1").filter(shown).length;
  if (headings !== 1) faults.push(`${headings} main headings`);
  for (const field of all("input:not([type=hidden]), select, textarea")) {
    if (shown(field) && ![...field.labels].some(shown)) faults.push(`no label: ${is(field)}`);
  }
  for (const control of all("a, button, input:not([type=hidden]), select, textarea, summary")) {
    if (!shown(control)) continue;
    if (!name(control)) faults.push(`no name: ${is(control)}`);
    const { width, height } = control.getBoundingClientRect();
    if (Math.min(width, height) < 44) faults.push(`${width}×${height} is small: ${is(control)}`);
  }
  const ids = all("[id]").map((element) => element.id);
  for (const id of ids.filter((id, at) => ids.indexOf(id) !== at)) faults.push(`two are #${id}`);
  return faults;
}

/** What makes the page wider than the window. */
export function overflow() {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const sticksOut = (element) => element.getBoundingClientRect().right > clientWidth + 0.5;
  const wide = [...document.body.querySelectorAll("*")].filter(sticksOut);
  return [
    `${scrollWidth} px in a window of ${clientWidth}`,
    ...wide.map((element) => element.outerHTML.slice(0, 80)),
  ];
}

/** How light the paper and the ink are, from 0 to 765. */
export function brightness() {
  const { backgroundColor, color } = getComputedStyle(document.body);
  const sum = (text) => text.match(/\d+/g).slice(0, 3).reduce((total, part) => total + +part, 0);
  return { paper: sum(backgroundColor), ink: sum(color) };
}

/** What is wrong with the focus for somebody who only sees it: nothing, or a sentence. */
export function faultOfFocus() {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return "nothing is focused";
  const is = focused.outerHTML.slice(0, 80);
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  if (!focused.matches(":focus-visible") || outlineStyle === "none") return `no outline: ${is}`;
  if (parseFloat(outlineWidth) < 2) return `a thin outline: ${is}`;
  const inside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return inside ? "" : `out of sight: ${is}`;
}
