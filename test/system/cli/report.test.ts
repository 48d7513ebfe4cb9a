import { beforeAll, expect, test } from "vitest";
import { SaasManagementClient } from "../../../src/index.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli } from "../../support/cli.js";
import { isMissing, launchChromium } from "../browser/chromium.js";
import { backgroundOf, openReadable } from "./readable-page.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The clock is read only once, because a day may end between two tests. */
const NOW = Date.now();
const dayIn = (days: number) => new Date(NOW + days * DAY_MS).toISOString().slice(0, 10);
const HOSTILE = `<img src=x onerror="alert(1)"> & 'Co'\u001b[2J\u009b2J\u202e`;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const contract = (days: number) => ({
    type: "ANNUAL",
    renewal: {
      upcomingDate: { value: dayIn(days), origin: "MANUAL" as const },
      terminationPeriod: { value: 10, origin: "MANUAL" as const },
    },
  });
  const server = await startReferenceServer({
    portfolio: {
      planPrices: [
        { planName: "Pro", annualPricePerSeat: "10.10", currency: "EUR" },
        { planName: HOSTILE, annualPricePerSeat: "1234.5", currency: "USD" },
      ],
      contracts: [
        { planName: "Pro", ...contract(30) },
        { planName: HOSTILE, ...contract(120) },
      ],
    },
  });
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  env = { SAAS_MANAGEMENT_BASE_URL: baseUrl, SAAS_MANAGEMENT_API_KEY: apiKey };
  await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
  const batch = await client.sync.startBatch({ installationId });
  const details = { model: "SEAT_BASED", seatBased: { paidSeats: 3 } } as const;
  await batch.write("plans", [
    { id: "pro", externalPlanName: "Pro", details },
    { id: "hostile", externalPlanName: HOSTILE, details },
    { id: "free", externalPlanName: "Free", details },
  ]);
  await batch.write("accounts", [
    { id: "ada", name: "Ada", email: "ada@example.com" },
    { id: "bob", name: HOSTILE, email: "bob@example.com" },
  ]);
  const seat = (sourceAccountId: string, sourcePlanId: string) => {
    return { sourceId: `${sourceAccountId}-${sourcePlanId}`, sourceAccountId, sourcePlanId, billable: true };
  };
  await batch.write("licenses", [
    seat("ada", "pro"),
    seat("bob", "pro"),
    seat("bob", "hostile"),
    seat("ada", "free"),
  ]);
  await batch.complete();
  return () => server.close();
});

test("adds up unused licenses exactly, by currency, and lists renewals in order", async () => {
  const { code, out } = await runCli(["report", "--json", "--days", "200"], { env });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    unusedLicenses: 4,
    savings: { EUR: "20.20", USD: "1234.50" },
    plans: [
      { name: HOSTILE, licenses: 1, savings: { USD: "1234.50" }, holders: [{ detail: "bob@example.com" }] },
      {
        name: "Pro",
        licenses: 2,
        savings: { EUR: "20.20" },
        holders: [
          { detail: "bob@example.com", licenses: 1, savings: { EUR: "10.10" } },
          { detail: "ada@example.com", licenses: 1, savings: { EUR: "10.10" } },
        ],
      },
      { name: "Free", licenses: 1, savings: {}, holders: [{ detail: "ada@example.com" }] },
    ],
    renewals: [
      { plan: "Pro", date: dayIn(30), terminateBy: dayIn(20), currency: "EUR" },
      { plan: HOSTILE, date: dayIn(120), terminateBy: dayIn(110) },
    ],
  });
});

test("prints tables, and leaves out renewals that are far ahead", async () => {
  const { out } = await runCli(["report"], { env: { ...env, COLUMNS: "70" } });
  expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(70);
  expect(out).toContain("4 licenses that nobody uses. Possible savings a year: EUR 20.20, USD\n1,234.50.");
  expect(out).toMatch(/^Pro +Custom integration +2 +EUR 20\.20$/m);
  const renewals = out.slice(out.indexOf("Renewals within 90 days (unused seats include"));
  expect(renewals).toContain(dayIn(30));
  expect(renewals).not.toContain(dayIn(120));
});

test.skipIf(isMissing)(
  "writes a page that loads nothing and is readable on a phone and on paper",
  async () => {
    const { out } = await runCli(["report", "--format", "html", "--days", "200"], { env });
    const browser = await launchChromium();
    try {
      const backgrounds = new Set<unknown>();
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await openReadable(browser, out, { width: 390, colorScheme });
        // A plan's holders are hidden until the plan is expanded.
        const holder = page.getByText("ada@example.com").first();
        expect(await holder.isVisible()).toBe(false);
        await page.locator("summary").filter({ hasText: /^Pro/ }).click();
        expect(await holder.isVisible()).toBe(true);
        backgrounds.add(await backgroundOf(page));
      }
      expect(backgrounds.size).toBe(2);
    } finally {
      await browser.close();
    }
  },
);

test.each([
  [["report", "--days", "0"], "It must be a number from 1"],
  [["report", "--format", "pdf"], "Allowed choices are text, html"],
  [["report", "--json", "--format", "html"], "Leave out --format"],
])("refuses %o", async (args, message) => {
  expect(await runCli(args, { env })).toMatchObject({
    code: 2,
    out: "",
    error: expect.stringContaining(message),
  });
});
