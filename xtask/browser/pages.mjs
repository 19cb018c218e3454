// Which pages the program has for people who sign in, as its own tables of routes say.
import { readdirSync, readFileSync } from "node:fs";

const TABLES = new URL("../../crates/tostao/src/routes/", import.meta.url);
/** How the addresses begin that are not for the people of accounts. */
const OTHERS = [
  "/providers/", "/receipts/", "/openapi.json", "/api/", "/docs", "/llms", "/healthz", "/readyz",
  "/pay/", "/subscribe/", "/subscription/",
];
/** The routes that the tables name by a constant: files, and a form that is only posted. */
const NAMED = ["CARD_FORM", "assets::ROUTE", "look::ACCENT_ROUTE", "look::LOGO_ROUTE",
  "look::UPLOAD"];

/** The patterns of every address that a browser of a person can open. */
export function pagesOfPeople() {
  const tables = readdirSync(TABLES).filter((name) => name.endsWith("pages.rs"));
  const routes = tables.flatMap((name) =>
    readFileSync(new URL(name, TABLES), "utf8").split(/\.route\(\s*/u).slice(1));
  const read = (text) => {
    const [route] = text.split(/\n\}/u);
    const [, pattern, constant] = route.match(/^(?:"([^"]+)"|([\w:]+)),/u);
    if (constant && !NAMED.includes(constant)) throw new Error(`${constant} names a route`);
    return /\bget\(/u.test(route) && pattern ? [pattern] : [];
  };
  const isOfPeople = (pattern) =>
    pattern !== "/" && !OTHERS.some((beginning) => pattern.startsWith(beginning));
  return routes.flatMap(read).filter(isOfPeople);
}

/** Which of the patterns serves an address: a word beats a name, and both beat the rest. */
export function patternOf(address, patterns) {
  const { pathname } = new URL(address, "http://desk.example");
  const words = pathname.split("/");
  const rank = (pattern) => {
    const parts = pattern.split("/");
    const open = parts.at(-1).startsWith("{*");
    if (open ? words.length < parts.length : words.length !== parts.length) return null;
    const ranks = parts.map((part, at) => {
      if (part.startsWith("{*")) return 0;
      return part.startsWith("{") ? 1 : Number(part === words[at]) * 2 || Number.NaN;
    });
    return ranks.some(Number.isNaN) ? null : ranks.join("");
  };
  const ranked = patterns.map((pattern) => [rank(pattern), pattern]).filter(([how]) => how);
  return ranked.sort(([one], [other]) => (one < other ? 1 : -1))[0]?.[1];
}
