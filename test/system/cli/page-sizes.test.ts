import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli } from "../../support/cli.js";
import { serveHandler } from "../../support/http-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
/** The page sizes that the commands requested. */
const sizes: unknown[] = [];
let start: () => Promise<Readonly<Record<string, string>>>;

beforeAll(async () => {
  const applications = Array.from({ length: 60 }, (_, index) => ({ name: `App ${index}` }));
  const server = await startReferenceServer({ pageSize: 50, portfolio: { applications } });
  const forward = async (request: Request): Promise<Response> => {
    if (request.method === "HEAD") return new Response();
    const body = await request.text();
    sizes.push(JSON.parse(body).variables.first);
    const headers = { "content-type": "application/json", authorization: server.apiKey };
    const answer = await fetch(`${server.baseUrl}/graphql`, { method: "POST", headers, body });
    return new Response(await answer.text(), { headers: { "content-type": "application/json" } });
  };
  start = async () => ({
    SAAS_MANAGEMENT_BASE_URL: await serveHandler(forward),
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    HOME: folder.path,
  });
  return () => server.close();
});
beforeEach(() => void sizes.splice(0));

test.each([
  [
    ["export", "applications"],
    [100, 50, 50],
  ],
  [
    ["export", "applications", "--page-size", "40"],
    [40, 40],
  ],
  [
    ["export", "applications", "--page-size", "200"],
    [200, 50, 50],
  ],
  [["report"], [100, 50, 50]],
  [
    ["report", "--page-size", "20"],
    [20, 20],
  ],
])(
  "%j requests pages of --page-size, or of the largest size that the service allows",
  async (args, asked) => {
    const result = await runCli(args, { env: await start(), cwd: folder.path });
    expect(result).toMatchObject({ code: 0, error: "" });
    expect(sizes).toEqual(asked);
    if (args[0] === "export") expect(result.out.trimEnd().split("\n")).toHaveLength(60);
  },
);

test("doctor requests a page of the size in use, even if the size comes from the configuration", async () => {
  const graphql = async () => {
    const env = await start();
    const { out } = await runCli(["doctor", "--json"], { env, cwd: folder.path });
    return JSON.parse(out).checks.find(({ name }: { readonly name: string }) => name === "GraphQL API");
  };
  expect(await graphql()).toMatchObject({ state: "ok" });
  await writeFile(join(folder.path, "saas-management.config.json"), '{ "pageSize": 30 }');
  expect(await graphql()).toMatchObject({ state: "ok" });
  expect(sizes).toEqual([100, 50, 30]);
});

test("refuses a --page-size that is not a number of at least 1", async () => {
  const result = await runCli(["report", "--page-size", "0"], { env: await start(), cwd: folder.path });
  expect(result).toMatchObject({ code: 2, out: "", error: expect.stringContaining("--page-size") });
});
