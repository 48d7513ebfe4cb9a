import {
  type Portfolio,
  type ReferenceServer,
  startReferenceServer,
} from "@saas-management/sdk/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsumerFolder, makeConsumerFolder, runNode, TOOLS } from "./packed-package.js";

const portfolio: Portfolio = {
  applications: [
    { name: "Figma", category: "Design" },
    { name: "Slack", category: "Chat" },
    { name: "Zoom", category: "Chat" },
  ],
};

let folder: ConsumerFolder;
let server: ReferenceServer;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startReferenceServer({ portfolio });
  env = { BASE_URL: server.baseUrl, API_KEY: server.apiKey };
  folder = await makeConsumerFolder();
}, 300_000);
afterAll(async () => {
  await folder.remove();
  await server.close();
});

describe("an app that takes the packed package", { timeout: 300_000 }, () => {
  const result = {
    first: "Figma",
    others: ["Slack", "Zoom"],
    total: 2,
    opened: { name: "Renew", state: "PRE" },
  };

  it("runs its own graphql-codegen against the shipped schema, is type-checked and runs", async () => {
    const app = await folder.add("graphql-codegen");
    await runNode([TOOLS.codegen, "--config", "codegen.ts"], app);
    await runNode([TOOLS.tsc, "-p", "."], app);
    expect(JSON.parse(await runNode(["out/main.js"], app, env))).toEqual(result);
  });

  it("types its documents with gql.tada from the shipped schema, is type-checked and runs", async () => {
    const app = await folder.add("gql-tada");
    await runNode([TOOLS.tada, "generate-output"], app);
    await runNode([TOOLS.tsc, "-p", "."], app);
    expect(JSON.parse(await runNode(["out/main.js"], app, env))).toEqual(result);
  });
});

describe("@saas-management/sdk/graphql of the packed package", { timeout: 60_000 }, () => {
  it("pages and changes data in Node without loading gRPC", async () => {
    const app = await folder.add("runtime");
    const { names, opened, loaded } = JSON.parse(await runNode(["main.js"], app, env));
    expect(names).toEqual(["Figma", "Slack", "Zoom"]);
    expect(opened).toBe("Renew");
    expect(grpcIn(loaded)).toEqual([]);
  });

  it("would be seen loading gRPC, as what needs it is", async () => {
    const program = `
      await import("@saas-management/sdk/reference-server");
      const { createRequire } = await import("node:module");
      console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
    const app = await folder.add("runtime");
    const loaded = JSON.parse(await runNode(["--input-type=module", "--eval", program], app));
    expect(grpcIn(loaded)).not.toEqual([]);
  });
});

describe("@saas-management/sdk of the packed package", { timeout: 60_000 }, () => {
  const lazy = /node_modules\/(@grpc|graphql|graphql-request|undici|zod)\//;

  it("loads neither gRPC, GraphQL, undici nor zod when it is imported and a client is made", async () => {
    const loaded = await modulesLoaded();
    expect(loaded.some((url) => url.includes("/sdk/dist/client.js"))).toBe(true);
    expect(loaded.filter((url) => lazy.test(url))).toEqual([]);
  });

  it("loads what runs and previews need with the first of them", async () => {
    const needed = /\/sdk\/dist\/sync\/(run|preview\/preview-run|safety\/run-guard)\.js$/;
    expect((await modulesLoaded()).filter((url) => needed.test(url))).toEqual([]);
    expect((await modulesLoaded("run")).filter((url) => needed.test(url))).toHaveLength(3);
  });

  it("would be seen loading them, as its use does", async () => {
    const loaded = await modulesLoaded("use");
    expect(loaded.filter((url) => lazy.test(url))).not.toEqual([]);
  });

  it("recognizes the errors of a second copy that is installed beside it", async () => {
    const app = await folder.add("two-copies");
    expect(JSON.parse(await runNode(["main.js"], app))).toEqual({
      sameClass: false,
      instanceOf: [true, true, false],
    });
  });

  async function modulesLoaded(...args: string[]): Promise<readonly string[]> {
    const app = await folder.add("loading");
    return (await runNode(["main.js", ...args], app)).split("\n");
  }
});

function grpcIn(modules: readonly string[]): readonly string[] {
  return modules.filter((path) => path.includes("@grpc"));
}
