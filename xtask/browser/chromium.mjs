// Starts Chromium, by the library in the folder where this runs, and knows the windows it has.
import { createRequire } from "node:module";
import { cwd } from "node:process";

/** The browser has no use for the graphics card, nor for its maker's services. */
const SWITCHES = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const SIZES = {
  360: { width: 360, height: 800 },
  768: { width: 768, height: 1024 },
  1280: { width: 1280, height: 900 },
};

export function launch(executablePath) {
  const { chromium } = createRequire(`${cwd()}/`)("playwright-core");
  return chromium.launch({ executablePath, args: SWITCHES });
}
