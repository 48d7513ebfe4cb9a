/** Held runs as text and as a page, for a narrow terminal, a browser, a phone and paper. */
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { runCli, settingsOf } from "../../support/cli.js";
import { connectorOf } from "../../support/connector.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";
import { isMissing, launchChromium } from "../browser/chromium.js";
import { backgroundOf, openReadable } from "./readable-page.js";

const service = testService();
const HOSTILE = `<img src=x onerror="alert(1)">&\u001b[2J\u202e`;
const SECRET = "name-of-somebody";

/** Runs that send these accounts; the last one is held. */
async function heldRuns(counts: readonly number[], installationId = service.installationId) {
  const ledger = fileLedger(`${service.directory}/.local/state/saas-management/ledger`);
  const client = service.client();
  const runOf = (count: number, firstRun: boolean) => {
    const sent = accounts(ids(count, HOSTILE)).map((account) => ({ ...account, name: SECRET }));
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", sent));
    return client.sync.run(connector, { installationId, ledger, firstRun });
  };
  for (const [i, count] of counts.slice(0, -1).entries()) await runOf(count, i === 0);
  return heldBy(runOf(counts.at(-1) ?? 0, false));
}

const status = (...args: readonly string[]) =>
  runCli(["status", ...args], { cwd: service.directory, env: settingsOf(service) });

test("status begins with what matters, and shows a sudden drop", async () => {
  await heldRuns([612, 613, 611, 615, 614, 612, 402]);
  const { code, out } = await status();
  expect(code).toBe(80);
  const lines = out.slice(out.indexOf("Held since")).split("\n");
  expect(lines[1]).toBe("Held: 210 of 612 accounts would be removed. Nothing was sent.");
  expect(lines[2]).toBe("accounts  612 613 611 615 614 612 → 402");
  expect(lines[3]).toMatch(
    /^- accounts: 210 of 612 .* \(34\.3%\), such as .*; usually 0 to 0\.3%; the limit is 153$/,
  );
  const { held } = JSON.parse((await status("--json")).out);
  expect(held[0]).toMatchObject({
    summary: lines[1],
    reasons: [{ usual: { sent: [612, 613, 611, 615, 614, 612] }, limits: { removed: 153, added: 244 } }],
  });
});

test("status --ids lists the records whose fields changed", async () => {
  const push = async (active: boolean, ...args: readonly string[]) => {
    await service.writeFile(
      "accounts.csv",
      `id,active\n${ids(9)
        .map((id) => `${id},${active}\n`)
        .join("")}`,
    );
    return runCli(["push", "accounts.csv", ...args], { cwd: service.directory, env: settingsOf(service) });
  };
  await push(true, "--first-run");
  const held = await push(false);
  expect(held.error).toContain("Held: active became false in 9 of 9 sampled accounts. Nothing was sent.\n");
  const { out } = await status("--ids");
  expect(out.trim().split("\n").toSorted()).toEqual(ids(9).map((id) => `accounts ${id} (changed)`));
  expect(JSON.parse((await status("--ids", "--json")).out.split("\n")[0] ?? "")).toMatchObject({
    change: "changed",
  });
});

test("the page of a held first run shows its ids, and no limit", async () => {
  await heldRuns([40]);
  const { code, out } = await status("--format", "html");
  expect({ code, bars: out.match(/<span title=/g)?.length }).toEqual({ code: 80, bars: 1 });
  expect(out).toContain("<h2>Held: the ledger has no earlier run. Nothing was sent.</h2>");
  expect(out).toMatch(/ids are listed in .*\.sent\.txt/);
  expect(out).not.toMatch(/NaN|undefined|limit,/);
});

test("a page says that no run is held, and otherwise lists the held runs of all installations", async () => {
  expect(await status("--format", "html")).toMatchObject({
    code: 0,
    out: expect.stringContaining("No run is held."),
  });
  expect(await status("--format", "html", "--json")).toMatchObject({ code: 2, out: "" });
  await heldRuns([40, 10]);
  await heldRuns([50, 10], service.server.createInstallation());
  const { SAAS_MANAGEMENT_INSTALLATION_ID: _, ...env } = settingsOf(service);
  const { code, out } = await runCli(["status", "--format", "html"], { cwd: service.directory, env });
  expect(code).toBe(80);
  expect(out.match(/<h2>Held: .*?<\/h2>/g)).toEqual([
    "<h2>Held: 30 of 40 accounts would be removed. Nothing was sent.</h2>",
    "<h2>Held: 40 of 50 accounts would be removed. Nothing was sent.</h2>",
  ]);
});

test.skipIf(isMissing)(
  "a page has figures, ids and a chart of each run, loads nothing, and is readable on a phone and on paper",
  async () => {
    await heldRuns([40, 41, 42, 10]);
    const { code, out } = await status("--format", "html");
    expect(code).toBe(80);
    expect(out).not.toContain(SECRET);
    const browser = await launchChromium();
    try {
      const backgrounds = new Set<unknown>();
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [390, 1280]) {
          const page = await openReadable(browser, out, { width, colorScheme });
          expect(await page.locator("h2").first().textContent()).toContain(
            "32 of 42 accounts would be removed",
          );
          const runs = page.locator(".runs span");
          expect(await runs.count()).toBe(4);
          expect(await runs.last().getAttribute("title")).toMatch(
            /Z: 10 sent, 0 added, 32 removed, 10 limit$/,
          );
          const heights = [".sent", ".removed", ".limit"].map((name) =>
            runs.last().locator(name).boundingBox(),
          );
          const [sent, removed, limit] = (await Promise.all(heights)).map((box) =>
            Math.round(box?.height ?? 0),
          );
          expect(sent).toBe(Math.round((112 * 10) / 42));
          expect(removed).toBe(48);
          expect(limit).toBe(Math.round((48 * 10) / 32));
          backgrounds.add(await backgroundOf(page));
        }
      expect(backgrounds.size).toBe(2);
    } finally {
      await browser.close();
    }
  },
);
