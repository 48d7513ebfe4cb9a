import { join } from "node:path";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { Page } from "../../docs/pages.js";
import { makeConsumerFolder, runNode, TOOLS } from "../consumers/packed-package.js";

test("the snippets of the README run with tsx in any type of package and print something", {
  timeout: 180_000,
}, async () => {
  const [push = "", read = ""] = (await Page.read("README.md")).snippets();
  const folder = await makeConsumerFolder();
  onTestFinished(() => folder.remove());
  for (const type of [undefined, "module"]) {
    const server = await startReferenceServer();
    onTestFinished(() => server.close());
    const project = await folder.write(`readme-${type ?? "plain"}`, {
      "package.json": JSON.stringify({ name: "readme", type }),
      "tsconfig.json": "{}",
      "push.mts": push,
      "read.mts": read,
    });
    const env = {
      SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
      SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
      SAAS_MANAGEMENT_API_KEY: server.apiKey,
      SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
      XDG_STATE_HOME: join(project, "state"),
    };
    const pushed = await runNode([TOOLS.tsx, "push.mts", "--first-run"], project, env);
    expect(pushed).toMatch(
      /^Run completed: batch .*\naccounts: 1 record sent.*\nplans: .*\nlicenses: 1 record sent/,
    );
    expect(await runNode([TOOLS.tsx, "read.mts"], project, env)).toBe(
      "Ada does not use Pro\nunused licenses: 1\n",
    );
  }
});
