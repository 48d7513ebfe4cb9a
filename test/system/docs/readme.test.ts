import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Page } from "../../docs/pages.js";
import { makeConsumerFolder, runNode } from "../consumers/packed-package.js";

test("the README's first screen runs in plain Node, in any type of package, and prints what it reads and pushes", {
  timeout: 180_000,
}, async () => {
  const [read = "", push = ""] = (await Page.read("README.md")).snippets();
  const folder = await makeConsumerFolder();
  onTestFinished(() => folder.remove());
  for (const type of [undefined, "module"]) {
    const project = await folder.write(`readme-${type ?? "plain"}`, {
      "package.json": JSON.stringify({ name: "readme", type }),
      "read.mjs": read,
      "push.mjs": push,
    });
    const cli = join(folder.installed, "dist/cli/main.js");
    const server = spawn(process.execPath, [cli, "serve", "--demo", "--write-env", ".env"], { cwd: project });
    onTestFinished(() => void server.kill());
    await once(server.stderr, "data");
    const state = { XDG_STATE_HOME: join(project, "state") };
    expect(await runNode(["--env-file=.env", "read.mjs"], project)).toMatch(
      /^(?:[^\n]+ doesn't use [^\n]+\n){5}\d\d+ unused licenses in all\n$/,
    );
    const first = await runNode(["--env-file=.env", "push.mjs", "--first-run"], project, state);
    expect(first).toMatch(/^Run completed: batch .*\n.*\naccounts +1 +1 +0 +0 /);
    const next = await runNode(["--env-file=.env", "push.mjs"], project, state);
    expect(next).toMatch(/\naccounts +1 +0 +1 +0 /);
  }
});
