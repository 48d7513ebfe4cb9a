import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian's package installs Chromium. */
const CHROMIUM = "/usr/bin/chromium";
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether tests with a browser are skipped. CI must have a browser: a skipped test would look like one that passed. */
export const isMissing = !existsSync(CHROMIUM) && process.env["CI"] === undefined;

/** Starts a browser with an empty profile. The start has no time limit of its own, because the test has one. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false, args: QUIET, timeout: 0 });
