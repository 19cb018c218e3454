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
    // A box is as large as the label that checks it.
    const isBox = ["checkbox", "radio"].includes(control.type);
    const target = isBox ? control.closest("label") ?? control : control;
    const { width, height } = target.getBoundingClientRect();
    if (Math.min(width, height) < 44) faults.push(`${width}×${height} is small: ${is(control)}`);
  }
  const places = "main, header, footer, nav, aside[aria-label], .skip";
  for (const element of all("body *")) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (says && shown(element) && !element.closest(places)) {
      faults.push(`outside every landmark: ${is(element)}`);
    }
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

/** Which rings of the focus stand out too little, by day or by night, from what they lie on. */
export function faultsOfRings() {
  const lightness = (color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = parts.map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [less, more] = [lightness(one), lightness(other)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  };
  const surface = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    const seen = !backgroundColor.endsWith(", 0)") || !element.parentElement;
    return seen ? backgroundColor : surface(element.parentElement);
  };
  const ring = (element) => {
    const probe = document.createElement("i");
    probe.style.color = "var(--focus)";
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const faults = [];
  const focusable = "a, button, summary, [tabindex], .bars, .field, .way";
  for (const element of document.querySelectorAll(focusable)) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const inside = parseFloat(getComputedStyle(element).outlineOffset) < 0;
    const found = contrast(ring(element), surface(inside ? element : element.parentElement));
    const is = element.outerHTML.slice(0, 80);
    if (found < 3) faults.push(`a ring of ${found.toFixed(2)}:1: ${is}`);
  }
  return faults;
}

/** What is wrong with the focus for somebody who only sees it: nothing, or a sentence. */
export function faultOfFocus() {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return "nothing is focused";
  const is = focused.outerHTML.slice(0, 80);
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  if (outlineStyle === "none") return `no outline: ${is}`;
  if (parseFloat(outlineWidth) < 2) return `a thin outline: ${is}`;
  const inside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return inside ? "" : `out of sight: ${is}`;
}

/** What axe-core, which the page has by then, finds wrong by some of its rules, or by all. */
export async function violations(rules) {
  const only = rules ? { runOnly: rules } : {};
  const options = { preload: false, resultTypes: ["violations"], ...only };
  const { violations: found } = await globalThis.axe.run(options);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
