import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { SaasManagementClient } from "@saas-management/sdk";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serve } from "../../../src/cli/serve/command.js";
import { isMissing, launchChromium } from "../browser/chromium.js";
import { type ConsumerFolder, makeConsumerFolder } from "../consumers/packed-package.js";
import { PASSWORD, startBuiltApp } from "./built-app.js";
import { startGuidePage } from "./guide-page.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VENDOR = "Tuschgrün";
/** Ends what hangs. */
const PATIENCE_MS = 100_000;

let service: ReferenceServer;
let client: SaasManagementClient;
let folder: ConsumerFolder;
let app: Awaited<ReturnType<typeof startBuiltApp>>;
let browser: Browser;
/** Everything that the browsers received (heads and bodies), and the errors in the pages. */
const received: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  if (isMissing) return;
  service = await serve({ demo: true });
  const { baseUrl, apiKey } = service;
  client = new SaasManagementClient({ baseUrl, apiKey });
  folder = await makeConsumerFolder();
  app = await startBuiltApp(folder, service);
  browser = await launchChromium();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await folder?.remove();
  await client?.close();
  await service?.close();
});

async function keep(request: Request): Promise<void> {
  const response = await request.response();
  if (response === null) return;
  // A redirect has no body.
  const body = await response.text().catch(() => "");
  received.push(JSON.stringify(response.headers()), body);
}

async function open(
  address: string,
  options: { readonly colorScheme?: "light" | "dark" } = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const kept: Promise<void>[] = [];
  onTestFinished(async () => {
    // A closed page has no responses, so requests that finish from now on aren't kept.
    context.removeAllListeners("requestfinished");
    await Promise.all(kept);
    await context.close();
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  context.on("requestfinished", (request) => void kept.push(keep(request)));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(new URL(address, app.told).href);
  return page;
}

/** Opens the app and logs in. */
async function openDesk(options: { readonly colorScheme?: "light" | "dark" } = {}): Promise<Page> {
  const page = await open("/", options);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Password").press("Enter");
  return page;
}

/** Holds the service's answer back until the test has looked at the page. */
async function heldBack(page: Page, operation: string) {
  let release = () => {};
  const looked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/graphql", async (route) => {
    if (route.request().postData()?.includes(`mutation ${operation}`) === true) await looked;
    await route.continue();
  });
  return release;
}

const count = (page: Page) => page.getByRole("status").filter({ hasText: /\d of [\d,]+ licenses/ });
const rows = (page: Page) => page.locator("tbody tr");
const cases = (page: Page) => page.getByRole("list", { name: "Opened cases" }).getByRole("listitem");

/** The sum of the licenses' prices, added in cents and formatted by Intl. */
async function expectedSum(where: object): Promise<string> {
  const licenses = await client.graphql.licenses({ where }).toArray();
  const cents = licenses.map(({ annualPrice }) => Math.round((annualPrice?.amount ?? 0) * 100));
  const sum = cents.reduce((a, b) => a + b, 0) / 100;
  return sum.toLocaleString("en-US", { style: "currency", currency: "EUR" });
}

describe.skipIf(isMissing)("the app", { timeout: 240_000 }, () => {
  test("filters the licenses, sums them per currency and loads them to the end", async () => {
    const page = await openDesk();
    const currencies = () => page.getByRole("term").allTextContents();
    await count(page).filter({ hasText: "50 of 681" }).waitFor();
    await page.getByText("USD a year").waitFor();
    expect(await currencies()).toEqual(["EUR a year", "GBP a year", "USD a year"]);

    await page.getByLabel("Vendor").selectOption(VENDOR);
    const where = { plan: { integration: { name: { eq: VENDOR } } } };
    const ids = await client.graphql.licenses({ where }).toArray();
    await count(page)
      .filter({ hasText: `50 of ${ids.length} licenses` })
      .waitFor();
    await page.getByText(await expectedSum(where), { exact: true }).waitFor();
    expect(await currencies()).toEqual(["EUR a year"]);

    const more = page.getByRole("button", { name: "Load more" });
    for (let shown = 50; shown < ids.length; shown += 50) {
      await count(page)
        .filter({ hasText: `${shown} of` })
        .waitFor();
      await more.press("Enter");
    }
    await count(page)
      .filter({ hasText: `${ids.length} of ${ids.length} licenses` })
      .waitFor();
    expect(await more.count()).toBe(0);
    expect(await rows(page).count()).toBe(ids.length);

    await page.getByLabel("Activity").selectOption("Unused");
    const unused = ids.filter(({ state }) => state.activity === "UNUSED").length;
    await count(page)
      .filter({ hasText: `of ${unused} licenses` })
      .waitFor();

    await page.getByLabel("Search").fill("nobody has this name");
    await page.getByText("No license matches.").waitFor();
    await page.getByRole("button", { name: "Show all licenses" }).click();
    await count(page).filter({ hasText: "50 of 681" }).waitFor();
    await expect.poll(() => page.getByLabel("Search").inputValue()).toBe("");
  });

  test("asks for the password, and serves nothing to a browser without a session", async () => {
    const page = await open("/");
    await page.getByLabel("Password").fill("guessed");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").filter({ hasText: "not the password" }).waitFor();
    const status = await page.evaluate(async () => (await fetch("/api/graphql", { method: "POST" })).status);
    expect(status).toBe(401);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await count(page).waitFor();
  });

  test("sorts by a column in either direction", async () => {
    const page = await openDesk();
    const first = rows(page).first();
    for (const direction of ["ASC", "DESC"] as const) {
      const order = [{ holder: { name: direction } }, { id: "ASC" }] as const;
      const { nodes } = await client.graphql.licenses({ order, pageSize: 1 }).firstPage();
      await page.getByRole("button", { name: "Holder" }).click();
      await first.filter({ hasText: nodes[0]?.holder?.name ?? "" }).waitFor();
    }
    expect(await page.getByRole("columnheader", { name: "Holder" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
  });

  test("changes the state of a vendor", async () => {
    const page = await openDesk();
    await page.getByLabel("Vendor").selectOption("Quillmarsh");
    await page.getByLabel("State of Quillmarsh").selectOption("In review");
    const where = { application: { vendorName: { eq: "Quillmarsh" } } };
    const states = async () =>
      (await client.graphql.applications({ where }).toArray()).map(({ state }) => state);
    await expect.poll(states).toEqual(["IN_REVIEW", "IN_REVIEW"]);
  });

  test("shows a new case at once, and removes it with the reason if the service refuses it", async () => {
    const page = await openDesk();
    const release = await heldBack(page, "CreateProcurementCase");
    await page
      .getByRole("button", { name: /^Open a case for / })
      .first()
      .click();
    const name = page.getByLabel("Name");
    const title = await name.inputValue();
    expect(title).toMatch(/^Review \S/);
    await name.press("Enter");
    await cases(page).filter({ hasText: title }).filter({ hasText: "Saving…" }).waitFor();
    release();
    await cases(page).filter({ hasText: title }).filter({ hasText: "In preparation" }).waitFor();
    await expect.poll(() => name.inputValue()).toBe("");

    const again = await heldBack(page, "CreateProcurementCase");
    await name.fill("Too late");
    await page.getByLabel("Deadline").fill("2020-01-01");
    await page.getByRole("button", { name: "Open case", exact: true }).click();
    await cases(page).filter({ hasText: "Too late" }).waitFor();
    again();
    await page.getByRole("alert").filter({ hasText: "must not be in the past" }).waitFor();
    await expect.poll(() => cases(page).count()).toBe(1);
    expect(await name.inputValue()).toBe("Too late");
  });

  test("shows a case unchanged if someone else has completed it", async () => {
    const page = await openDesk();
    await page.getByLabel("Name").fill("Renewal");
    let id = "";
    await page.route("**/api/graphql", async (route) => {
      if (route.request().postData()?.includes("mutation CreateProcurementCase") !== true)
        return route.continue();
      const response = await route.fetch();
      const { data } = await response.json();
      id = data.createProcurementCase.case.id;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Open case", exact: true }).click();
    const complete = page.getByRole("button", { name: "Complete Renewal" });
    await complete.waitFor();
    await client.graphql.updateProcurementCase({ id, state: "COMPLETED" });

    const release = await heldBack(page, "UpdateProcurementCase");
    await complete.click();
    await cases(page).filter({ hasText: "Saving…" }).waitFor();
    release();
    await cases(page).filter({ hasText: "Someone has already completed this case." }).waitFor();
    await cases(page).filter({ hasText: "In preparation" }).waitFor();
  });
});

describe.skipIf(isMissing)("a page", { timeout: 240_000 }, () => {
  test("reports a failure of the service, and reads again when asked to", async () => {
    const fault = { on: "DeskLicenses", fault: "http", status: 403 } as const;
    service.faults.add(fault);
    const page = await openDesk();
    await page.getByRole("alert").filter({ hasText: "Something went wrong" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await count(page).filter({ hasText: "50 of 681" }).waitFor();
    service.faults.assertFired();
  });

  test.each(["light", "dark"] as const)("axe finds nothing serious in %s colors", async (colorScheme) => {
    const page = await openDesk({ colorScheme });
    await count(page).waitFor();
    await page.getByLabel("Name").fill("Too late");
    await page.getByLabel("Deadline").fill("2020-01-01");
    await page.getByRole("button", { name: "Open case", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "must not be in the past" }).waitFor();
    await page.addScriptTag({ path: AXE });
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    expect(passes.length).toBeGreaterThan(10);
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
  });
});

test.skipIf(isMissing)("the server refuses a document that isn't the page's", async () => {
  const page = await openDesk();
  await count(page).waitFor();
  const answer = await page.evaluate(async () => {
    const response = await fetch("/api/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "query DeskLicenses { licenses { nodes { holder { employeeId } } } }" }),
    });
    return [response.status, await response.json()];
  });
  expect(answer).toMatchObject([400, { errors: [{ extensions: { code: "DOCUMENT_NOT_ALLOWED" } }] }]);
});

test.skipIf(isMissing)(
  "the page of docs/guides/apps.md compiles and works",
  { timeout: 240_000 },
  async () => {
    const site = await startGuidePage(folder, service);
    onTestFinished(() => site.close());
    const page = await open(site.told);
    const items = page.getByRole("listitem");
    await items.nth(99).waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await items.nth(199).waitFor();
    await page.getByLabel("Name").fill(" ");
    await page.getByLabel("Name").press("Enter");
    await page.getByRole("alert").filter({ hasText: "must not be blank" }).waitFor();
  },
);

test.skipIf(isMissing)(
  "neither the browser's traffic nor any file of the built page contains the key",
  async () => {
    const files = await readdir(app.dist, { recursive: true, withFileTypes: true });
    const built = files
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8"));
    const texts = [...received, ...(await Promise.all(built))];
    expect(complaints).toEqual([]);
    expect(texts.filter((text) => text.includes("Tuschgrün")).length).toBeGreaterThan(10);
    expect(texts.filter((text) => text.includes(service.apiKey))).toEqual([]);
  },
);

declare global {
  var axe: typeof import("axe-core");
}
