import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { EXIT } from "../../../src/cli/exit-codes.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli } from "../../support/cli.js";
import { type ConsumerFolder, makeConsumerFolder, runNode } from "../consumers/packed-package.js";

let consumers: ConsumerFolder;
beforeAll(async () => {
  consumers = await makeConsumerFolder();
}, 120_000);
afterAll(() => consumers.remove());

test("creates a project with tests that pass unchanged and a connector that runs", async () => {
  const parent = await consumers.write("projects", {});
  const project = join(parent, "acme-connector");
  expect(await runCli(["init", project])).toMatchObject({ code: 0 });
  await symlink(join(parent, "node_modules"), join(project, "node_modules"));
  const tested = await runNode(["--test"], project, { NODE_OPTIONS: "", VITEST: "" });
  expect(tested).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(tested)?.[1])).toBeGreaterThan(10);

  await using server = await startReferenceServer();
  const env = {
    SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
  };
  const cli = join(parent, "node_modules/@saas-management/sdk/dist/cli/main.js");
  // What npm install would link.
  await chmod(cli, 0o755);
  await mkdir(join(parent, "node_modules/.bin"));
  await symlink(cli, join(parent, "node_modules/.bin/saas-management"));
  await runNode([cli, "run", "connector.js", "--first-run"], project, env);
  expect(server.inspect().snapshots.accounts).toHaveLength(24);
  // The ledger of the configuration.
  expect(existsSync(join(project, "state/ledger"))).toBe(true);

  // Older versions of Node can't read TypeScript, and the message says what to use instead.
  await writeFile(join(project, "typed.ts"), 'export { connector } from "./connector.js";\n');
  const typed = runNode([cli, "run", "typed.ts", "--preview"], project, { ...env, NODE_OPTIONS: "" });
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  expect(await typed.catch(String)).toMatch(
    major > 22 || (major === 22 && minor >= 18)
      ? /^Preview/
      : /typed\.ts cannot be loaded: Node .* does not read TypeScript\. Use Node 22\.18 or later, or install tsx and set NODE_OPTIONS="--import tsx"/,
  );
  const read = (name: string) => readFileSync(join(project, name), "utf8");
  const completed = () => server.inspect().batches.filter(({ state }) => state === "completed").length;
  const PATH = `${join(process.execPath, "..")}:/usr/bin:/bin`;
  // Like cron, this uses sh and almost no environment. The key is in .env alone.
  await writeFile(
    join(project, ".env"),
    Object.entries(env).map(([key, value]) => `${key}=${value}\n`),
  );
  const [line = ""] = read("crontab")
    .split("\n")
    .filter((each) => /^\d/.test(each));
  const [, , , , , ...command] = line.split(/ +/);
  const ofCron = { HOME: parent, LOGNAME: "root", SHELL: "/bin/sh", PATH };
  const [code] = await once(spawn("/bin/sh", ["-c", command.join(" ")], { cwd: "/", env: ofCron }), "exit");
  expect({ code, log: read("last-run.log") }).toEqual({
    code: 0,
    log: expect.stringContaining("Run completed"),
  });
  expect(completed()).toBe(2);

  // In a container, the image's command is process 1, and SIGTERM ends its run.
  const dockerfile = read("Dockerfile");
  const words = (key: string): string[] =>
    JSON.parse(new RegExp(`^${key} (.*)$`, "m").exec(dockerfile)?.[1] ?? "[]");
  const image = [...words("ENTRYPOINT"), ...words("CMD")];
  const options = { cwd: project, env: { HOME: parent, PATH, ...env } };
  const contain = () => spawn("unshare", ["--user", "--pid", "--fork", "--kill-child", ...image], options);
  expect(await once(contain(), "exit")).toEqual([0, null]);
  expect(completed()).toBe(3);
  const stalled = server.faults.add({ on: "SyncRecords", fault: "stall", times: 9 });
  const stopped = contain();
  await expect.poll(() => stalled.fired).toBe(1);
  const [first = ""] = readFileSync(`/proc/${stopped.pid}/task/${stopped.pid}/children`, "utf8").split(" ");
  process.kill(Number(first), "SIGTERM");
  expect(await once(stopped, "exit")).toEqual([EXIT.SIGTERM, null]);
  expect(server.inspect()).toMatchObject({ lock: null });

  // A connector for an API is tested with a recording.
  const vendor = createServer((_, answer) =>
    answer.end(JSON.stringify({ users: [{ id: "u1" }, { id: "u2" }] })),
  );
  onTestFinished(() => void vendor.close());
  await once(vendor.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${Object(vendor.address()).port}/users`;
  await writeFile(
    join(project, "connector.js"),
    `export const connector = {
      snapshots: ["accounts"],
      run: async (batch) => batch.write("accounts", (await (await fetch("${url}")).json()).users),
    };`,
  );
  const recording = ["connector.test.js", "--record"];
  const recorded = await runNode(recording, project, { NODE_OPTIONS: "", VITEST: "" });
  expect(recorded).toContain("vendor.cassette.json: 1 request");
  vendor.close();
  const replayed = await runNode(["--test"], project, { NODE_OPTIONS: "", VITEST: "" });
  expect(replayed).toMatch(/status-500-last[\s\S]*# fail 0$/m);
  expect(replayed).toContain("# SKIP not run: the source has no place for it");
  const { spec } = parse(read("cronjob.yaml"));
  const job = spec.jobTemplate.spec;
  expect(job.podFailurePolicy.rules[0].onExitCodes.values).toEqual([
    ...[EXIT.usage, EXIT.data, EXIT.unauthorized, EXIT.configuration, EXIT.held, EXIT.outcomeUnknown],
    EXIT.surprised,
  ]);
  const { containers, restartPolicy, volumes } = job.template.spec;
  // Kubernetes accepts failure policies only for pods that never restart.
  expect(restartPolicy).toBe("Never");
  expect(containers).toEqual([
    {
      name: "connector",
      image: "acme-connector:latest",
      args: words("CMD"),
      envFrom: [{ secretRef: { name: "acme-connector" } }],
      volumeMounts: [{ name: volumes[0].name, mountPath: /^VOLUME (.*)$/m.exec(read("Dockerfile"))?.[1] }],
    },
  ]);
  // The settings for a first run or an approval go into a job with the same pod.
  const ofPerson = parse(read("once.yaml")).spec.template.spec;
  expect(ofPerson.containers[0].args).toEqual([...words("CMD"), "--first-run"]);
  expect({ ...ofPerson, containers: [{ ...ofPerson.containers[0], args: words("CMD") }] }).toEqual(
    job.template.spec,
  );
}, 300_000);

test("overwrites nothing, and refuses names that npm or Kubernetes would refuse", async () => {
  const folder = mkdtempSync(join(tmpdir(), "init-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const project = join(folder, "acme");
  expect(await runCli(["init", project])).toMatchObject({ code: 0 });
  const before = readFileSync(join(project, "package.json"), "utf8");
  expect(await runCli(["init", project])).toMatchObject({
    code: 2,
    error: expect.stringContaining("not empty"),
  });
  expect(readFileSync(join(project, "package.json"), "utf8")).toBe(before);
  expect(await runCli(["init", join(folder, "Acme Connector")])).toMatchObject({ code: 2 });
  await writeFile(join(folder, "taken"), "");
  expect(await runCli(["init", join(folder, "taken")])).toMatchObject({
    code: 2,
    error: expect.stringContaining("is a file"),
  });
});
