import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

/** Opens a single-file page. It must not load or run anything, and must fit the screen and be printable. */
export async function openReadable(
  browser: Browser,
  html: string,
  { width, ...look }: { readonly width: number; readonly colorScheme: "light" | "dark" },
): Promise<Page> {
  const page = await browser.newPage({ ...look, viewport: { width, height: 800 } });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("dialog", (dialog) => asked.push(dialog.message()));
  await page.setContent(html);
  expect(asked).toEqual([]);
  expect(await page.locator("img, script").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  expect((await page.pdf()).subarray(0, 4).toString()).toBe("%PDF");
  return page;
}

export const backgroundOf = (page: Page): Promise<unknown> =>
  page.evaluate("getComputedStyle(document.body).backgroundColor");
