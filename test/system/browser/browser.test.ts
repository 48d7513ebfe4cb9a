import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { type Portfolio, startReferenceServer } from "@saas-management/sdk/testing";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Bundle, bundleForBrowser } from "./bundle.js";
import { isMissing, launchChromium } from "./chromium.js";
import { startCorsForwarder, startFileServer } from "./cors-forwarder.js";

const portfolio: Portfolio = {
  applications: ["Asana", "Box", "Figma", "Slack", "Zoom"].map((name) => ({ name })),
};

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleForBrowser("src/graphql/index.ts");
});

test("bundles ./graphql for browsers without a polyfill for Node", () => {
  expect(bundle.unresolved).toEqual([]);
  expect(bundle.modules.filter((module) => /^node:|^\(disabled\):/.test(module))).toEqual([]);
});

test("bundles ./graphql without the Sync API, gRPC, zod and the reference server", () => {
  const foreign = /src\/(sync|reference-server)\/|node_modules\/(@grpc|@bufbuild|zod|protobufjs)\//;
  expect(bundle.modules.filter((module) => foreign.test(module))).toEqual([]);
});

test("has the bundle size of docs/reference/browsers.md, within a tenth", async () => {
  const docs = await readFile(new URL("../../../docs/reference/browsers.md", import.meta.url), "utf8");
  const documented = Number(/^\| one file \|.*?\| ([\d.]+) KiB/m.exec(docs)?.[1]);
  const kibibytes = gzipSync(bundle.files[0]?.bytes ?? "", { level: 9 }).length / 1024;
  expect(Math.abs(kibibytes / documented - 1)).toBeLessThan(0.1);
});

async function openPage() {
  const { files } = await bundleForBrowser("test/system/browser/page.ts");
  const script = files[0];
  if (script === undefined) throw new Error("The bundle is empty.");
  const site = await startFileServer({
    "/": {
      type: "text/html; charset=utf-8",
      body: '<!doctype html><script type="module" src="/main.js"></script>',
    },
    "/main.js": { type: "text/javascript; charset=utf-8", body: script.bytes },
  });
  onTestFinished(() => site.close());
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(site.origin, { waitUntil: "load" });
  return { page, site, complaints };
}

test.skipIf(isMissing)(
  "a page of another origin can use the reference server if cors allows it, and is told what to check if not",
  async () => {
    const { page, site } = await openPage();
    const count = async (cors?: readonly string[]) => {
      await using server = await startReferenceServer({ portfolio, cors });
      return await page.evaluate(([baseUrl, apiKey]) => globalThis.tryCount(baseUrl, apiKey), [
        server.baseUrl,
        server.apiKey,
      ] as const);
    };
    expect(await count([site.origin])).toBe(5);
    expect(await count()).toContain("that the server allows the page's origin");
  },
  120_000,
);

test.skipIf(isMissing)(
  "pages, changes data and reports errors of a server of another origin in Chromium",
  async () => {
    const server = await startReferenceServer({ portfolio });
    onTestFinished(() => server.close());
    const { page, site, complaints } = await openPage();
    const forwarder = await startCorsForwarder(server.baseUrl, () => site.origin);
    onTestFinished(() => forwarder.close());
    const result = await page.evaluate(([baseUrl, apiKey]) => globalThis.tryFacade(baseUrl, apiKey), [
      forwarder.origin,
      server.apiKey,
    ] as const);
    expect(result).toEqual({
      names: ["Asana", "Box", "Figma", "Slack", "Zoom"],
      total: 5,
      opened: "Renew",
      refusedWith: "ProcurementCaseNotFoundError",
      wrongKeyIsRejected: true,
      sum: "0.3",
      leftWith: "left",
    });
    expect(complaints).toEqual([]);
  },
  120_000,
);
