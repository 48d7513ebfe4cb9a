import { expect, test } from "vitest";
import { startServe } from "../../support/serve.js";
import { isMissing, launchChromium } from "./chromium.js";

test.skipIf(isMissing)(
  "the page at /graphql runs queries, shows the schema, and asks nobody else",
  async () => {
    const { baseUrl, apiKey } = await startServe("--demo");
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const asked = new Set<string>();
      const problems: string[] = [];
      page.on("request", (request) => asked.add(new URL(request.url()).origin));
      page.on("pageerror", ({ message }) => problems.push(message));
      page.on(
        "console",
        (message) => message.text().includes("Security Policy") && problems.push(message.text()),
      );
      await page.goto(`${baseUrl}/graphql#key=${apiKey}`);
      expect(page.url()).toBe(`${baseUrl}/graphql`);
      await page.getByRole("button", { name: "Run" }).click();
      const result = page.getByLabel("Result");
      await expect.poll(() => result.textContent()).toContain('"totalCount"');
      expect(await page.getByLabel("Schema").textContent()).toContain("type LicensesConnection ");
      await page.getByLabel("Query").fill("{ nothing }");
      await page.keyboard.press("Control+Enter");
      await expect.poll(() => result.textContent()).toContain("does not exist");
      expect({ asked: [...asked], problems }).toEqual({ asked: [baseUrl], problems: [] });
    } finally {
      await browser.close();
    }
  },
);

test("programs get no page", async () => {
  const { baseUrl } = await startServe();
  expect((await fetch(`${baseUrl}/graphql`)).status).toBe(405);
});
