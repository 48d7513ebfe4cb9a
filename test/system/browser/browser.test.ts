import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { type Portfolio, startReferenceServer } from "@saas-management/sdk/testing";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { listen } from "../../support/tcp-peers.js";
import { type Bundle, bundleForBrowser } from "./bundle.js";
import { isMissing, launchChromium } from "./chromium.js";

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
  const site = await listen(
    createServer(({ url }, response) => {
      if (url === "/main.js") response.setHeader("content-type", "text/javascript").end(files[0]?.bytes);
      else
        response.setHeader("content-type", "text/html").end('<script type="module" src="/main.js"></script>');
    }),
  );
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  const origin = `http://127.0.0.1:${site.port}`;
  await page.goto(origin, { waitUntil: "load" });
  return { page, origin, complaints };
}

test.skipIf(isMissing)(
  "a page of another origin can page, change data and read errors if cors allows it, and otherwise learns what to check",
  async () => {
    const { page, origin, complaints } = await openPage();
    await using server = await startReferenceServer({ portfolio, cors: [origin] });
    const { baseUrl, apiKey } = server;
    expect(await page.evaluate((options) => globalThis.tryFacade(options), { baseUrl, apiKey })).toEqual({
      names: ["Asana", "Box", "Figma", "Slack", "Zoom"],
      total: 5,
      opened: "Renewal",
      refusedWith: "ProcurementCaseNotFoundError",
      wrongKeyIsRejected: true,
      sum: "0.3",
      leftWith: "left",
    });
    await using closed = await startReferenceServer();
    const options = { baseUrl: closed.baseUrl, apiKey: closed.apiKey };
    const told = await page.evaluate((given) => globalThis.tryCount(given), options);
    expect(told).toContain("that the server allows the page's origin");
    expect(complaints).toEqual([]);
  },
  120_000,
);
