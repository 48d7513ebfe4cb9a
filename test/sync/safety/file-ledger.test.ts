import { copyFile, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { expect, test, vi } from "vitest";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const COMPLETED = /accounts\..+\.ids$/;
const hasModes = process.platform !== "win32";

const rewrite = async (change: (text: string) => string) => {
  const path = await service.file(COMPLETED);
  const text = await readFile(path, "utf8");
  expect(change(text)).not.toBe(text);
  await writeFile(path, change(text));
};

test("writes one text file of ids per collection, and keeps the previous one", async () => {
  await service.runAccounts(ids(3));
  const before = await service.file(COMPLETED);
  await service.runAccounts(ids(3));
  const path = await service.file(/accounts\.00000002\..+\.ids$/);
  const folder = dirname(path);
  expect(await service.files()).toEqual([
    before,
    path,
    join(folder, "state.00000001"),
    join(folder, "state.00000002"),
  ]);
  expect(basename(dirname(path))).toContain(service.installationId);
  const [head, ...lines] = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(head).toContain(`"of":"${basename(dirname(path))}/${basename(path)}"`);
  expect(lines).toEqual([...ids(3), expect.stringMatching(/^\\end \{"bytes":\d+,"crc32":"[0-9a-f]{8}"\}$/)]);
});

test.runIf(hasModes)("writes files of mode 0600 in directories of mode 0700", async () => {
  await service.runAccounts(ids(10));
  await heldBy(service.runAccounts([]));
  for (const path of await service.files()) {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  }
});

test("stores hashes with hashIds, and compares clear ids with them", async () => {
  const ledger = fileLedger(service.directory, { hashIds: true });
  const odd = ["\ufeffu0", "\ufeff", " u2"];
  await service.runAccounts([...ids(10), ...odd]);
  const { collections } = await service.runAccounts([...ids(9), ...odd], { ledger });
  expect(collections.accounts).toMatchObject({
    expected: { baseline: "completed", known: 13, kept: 12, removed: 1 },
  });
  const text = await readFile(await service.file(COMPLETED), "utf8");
  expect(text).not.toMatch(/^u\d$/m);
  const error = await heldBy(service.runAccounts(ids(2), { ledger }));
  expect(error.reasons[0]).toMatchObject({ known: 12, removed: 10 });
  expect(error.reasons[0]?.examples[0]).toMatch(/^[\w-]{22}$/);
  await service.runAccounts(ids(2), { ledger, approve: error.approvalId });
  // Hashes cannot be compared with clear ids.
  const back = await heldBy(service.runAccounts(ids(2)));
  expect(back.reasons[0]).toMatchObject({ rule: "unreadable-ledger" });
});

test("leaves no clear ids after a switch to hashIds, not even in the list of a pending approval", async () => {
  const ledger = fileLedger(service.directory, { hashIds: true });
  await service.runAccounts(ids(40, "clear-"));
  const { approvalId } = await heldBy(service.runAccounts(ids(10, "clear-")));
  await service.runAccounts(ids(40, "clear-"), { ledger });
  const names = (await service.files()).map((path) => basename(path));
  expect(names.filter((name) => name.startsWith("accounts."))).toHaveLength(1);
  for (const path of await service.files()) expect(await readFile(path, "utf8")).not.toContain("clear-");
  const { message } = await heldBy(service.runAccounts(ids(10, "clear-"), { ledger, approve: approvalId }));
  expect(message).toContain("no approval is pending");
});

test("removes an unreadable list of removals after a switch to hashIds", async () => {
  await service.runAccounts(ids(40));
  const { reasons } = await heldBy(service.runAccounts(ids(10)));
  await writeFile(reasons[0]?.listedIn ?? "", "u39\n");
  await service.runAccounts(ids(40), { ledger: fileLedger(service.directory, { hashIds: true }) });
  expect((await service.files()).filter((path) => path.endsWith(".txt"))).toEqual([]);
});

test("is in the user's state directory if no path is given", () => {
  vi.stubEnv("XDG_STATE_HOME", "/var/state");
  expect(fileLedger().location).toBe(join("/var/state", "saas-management", "ledger"));
  for (const notAbsolute of ["", "state"]) {
    vi.stubEnv("XDG_STATE_HOME", notAbsolute);
    expect(fileLedger().location).toBe(join(homedir(), ".local", "state", "saas-management", "ledger"));
  }
  vi.unstubAllEnvs();
});

test("shows only its location", () => {
  const ledger = fileLedger("/ledger");
  expect(JSON.stringify(ledger)).toBe('{"location":"/ledger"}');
  expect(Reflect.ownKeys(ledger).filter((key) => typeof key === "string")).toEqual(["location"]);
});

test("may come from another copy of the package", async () => {
  vi.resetModules();
  const copy = await import("../../../src/runs/ledger/ledger.js");
  await service.runAccounts(ids(10), { ledger: copy.fileLedger(service.directory) });
  await heldBy(service.runAccounts([]));
});

/** Ways to damage the text of a file. */
const changes: readonly (readonly [string, (text: string) => string])[] = [
  ["is truncated", (text) => text.slice(0, -20)],
  ["is cut at the end of a line", (text) => text.slice(0, text.indexOf("u5\n"))],
  ["is empty", () => ""],
  ["is of another program", () => "u0\nu1\n"],
  ["has no end", (text) => text.replace(/\\end .*\n/, "")],
  ["lacks a line", (text) => text.replace("\nu3\n", "\n")],
  ["has one more line", (text) => text.replace("\\end", "u11\n\\end")],
  ["has ids after its end", (text) => `${text}u11\n`],
  ["has another id", (text) => text.replace("\nu3\n", "\nv3\n")],
  ["has its lines in another order", (text) => text.replace("u3\nu4\n", "u4\nu3\n")],
  ["has another checksum", (text) => text.replace(/(?<="crc32":")[0-9a-f]{8}/, "00000000")],
  ["has no checksum", (text) => text.replace(/,"crc32":"[0-9a-f]{8}"/, "")],
  ["has another length", (text) => text.replace(/(?<="bytes":)\d+/, "1")],
  ["is there twice", (text) => text.repeat(2)],
  ["is of a newer version", (text) => text.replace('"version":1', '"version":2')],
  ["has another format", (text) => text.replace("saas-management-ledger", "x")],
  ["is of another collection", (text) => text.replace("/accounts.", "/plans.")],
  ["is one endless line", () => "a".repeat(33 * 1024 * 1024)],
];

const damages: readonly (readonly [string, () => Promise<void>])[] = [
  ...changes.map(([how, change]) => [how, () => rewrite(change)] as const),
  [
    "is of another installation",
    async () => {
      const own = await service.file(COMPLETED);
      const installationId = service.server.createInstallation();
      await service.runAccounts(ids(10), { installationId });
      const [other = ""] = (await service.files()).filter((path) => path.endsWith(".ids") && path !== own);
      await copyFile(other, own);
    },
  ],
  [
    "is a directory",
    async () => {
      const path = await service.file(COMPLETED);
      await rm(path);
      await mkdir(path);
    },
  ],
];

test.each(damages)("holds the run if a file %s", async (_, damage) => {
  await service.runAccounts(ids(10));
  await damage();
  const error = await heldBy(service.runAccounts(ids(10)));
  expect(error.reasons[0]).toMatchObject({ rule: "unreadable-ledger", known: 0, sent: 10 });
  expect(error.error.cause).toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test("does not follow a link in place of its directory", async () => {
  await service.runAccounts(ids(10));
  const own = dirname(await service.file(COMPLETED));
  await rename(own, join(service.directory, "elsewhere"));
  await symlink(join(service.directory, "elsewhere"), own);
  await expect(service.runAccounts([])).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(service.present()).toEqual(ids(10));
});

test("removes files of dead processes after a day", async () => {
  await service.runAccounts(ids(10));
  const completed = await service.file(COMPLETED);
  const leave = async (name: string, hours: number) => {
    const path = join(dirname(completed), `accounts.${name}`);
    await writeFile(path, "u1\n");
    const then = new Date(Date.now() - hours * 60 * 60_000);
    await utimes(path, then, then);
    return path;
  };
  await leave("00000001.0123456789ab.ids.0123456789ab.tmp", 25);
  const fresh = await leave("0123456789ab.ids.0123456789ab.tmp", 23);
  await service.runAccounts(ids(10));
  expect((await service.files()).filter((path) => /tmp$/.test(path))).toEqual([fresh]);
});

test("restoring a baseline does not hide later snapshots", async () => {
  for (let run = 0; run < 3; run += 1) await service.runAccounts(ids(40));
  const path = await service.file(/accounts\.00000003\..+\.ids$/);
  const backup = await readFile(path);
  await writeFile(path, "damaged");
  const { approvalId } = await heldBy(service.runAccounts(ids(100)));
  await service.runAccounts(ids(100), { approve: approvalId });
  const { faults } = service.server;
  for (const on of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
    faults.add({ on, times: 2, fault: "drop", at: "answer" });
  const unheard = service.runAccounts(ids(140), { retryForMs: 0 });
  await expect(unheard).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  faults.clear();
  await writeFile(path, backup);
  const error = await heldBy(service.runAccounts(ids(40)));
  expect(error.reasons[0]).toMatchObject({ known: 140, removed: 100 });
});
