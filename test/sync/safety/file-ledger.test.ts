import {
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileLedger, type RunBatch } from "@saas-management/sdk";
import { describe, expect, test, vi } from "vitest";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const COMPLETED = /accounts\..+\.ids$/;
const hasModes = process.platform !== "win32";

const rewrite = async (change: (text: string) => string) => {
  const path = await service.file(COMPLETED);
  await writeFile(path, gzipSync(change(gunzipSync(await readFile(path)).toString())));
};

test("writes one file of ids per collection, readable with zcat", async () => {
  await service.runAccounts(ids(3));
  await service.runAccounts(ids(3));
  const path = await service.file(COMPLETED);
  const own = (await service.files()).filter((file) => !basename(file).startsWith("runs."));
  expect(own).toEqual([path.replace("ids", "completed"), path]);
  expect(basename(dirname(path))).toContain(service.installationId);
  const [head, ...lines] = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split("\n");
  expect(head).toContain(`"installationId":"${service.installationId}"`);
  expect(lines).toEqual([...ids(3), expect.stringMatching(/^\\end \{"at":\d+,"sent":3,/)]);
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
  const text = gunzipSync(await readFile(await service.file(COMPLETED))).toString();
  expect(text).not.toMatch(/^u\d$/m);
  const error = await heldBy(service.runAccounts(ids(2), { ledger }));
  expect(error.reasons[0]).toMatchObject({ known: 12, removed: 10 });
  expect(error.reasons[0]?.examples[0]).toMatch(/^[\w-]{22}$/);
  await service.runAccounts(ids(2), { ledger, approve: error.approvalId });
  // Hashes cannot be compared with clear ids.
  const back = await heldBy(service.runAccounts(ids(2)));
  expect(back.reasons[0]).toMatchObject({ rule: "unreadable-ledger" });
});

test("leaves no clear ids after a switch to hashIds, and keeps a pending approval", async () => {
  const ledger = fileLedger(service.directory, { hashIds: true });
  await service.runAccounts(ids(40, "clear-"));
  const { approvalId } = await heldBy(service.runAccounts(ids(10, "clear-")));
  await service.runAccounts(ids(40, "clear-"), { ledger });
  const names = (await service.files()).map((path) => basename(path));
  expect(names.filter((name) => name.startsWith("accounts."))).toHaveLength(3);
  for (const path of await service.files()) {
    const bytes = await readFile(path);
    expect((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()).not.toContain("clear-");
  }
  await service.runAccounts(ids(10, "clear-"), { ledger, approve: approvalId });
  expect(service.present()).toHaveLength(10);
});

test("removes an unreadable list of removals after a switch to hashIds", async () => {
  await service.runAccounts(ids(40));
  const { reasons } = await heldBy(service.runAccounts(ids(10)));
  await writeFile(reasons[0]?.listedIn ?? "", "u39\n");
  await service.runAccounts(ids(40), { ledger: fileLedger(service.directory, { hashIds: true }) });
  expect((await service.files()).filter((path) => path.endsWith(".txt"))).toEqual([]);
});

test("resolves a relative path when it is called", async () => {
  const before = process.cwd();
  try {
    process.chdir(service.directory);
    const { location } = fileLedger("ledger");
    expect(location).toBe(join(process.cwd(), "ledger"));
  } finally {
    process.chdir(before);
  }
});

test("is in the user's state directory without a path", () => {
  vi.stubEnv("XDG_STATE_HOME", "/var/state");
  expect(fileLedger().location).toBe(join("/var/state", "saas-management", "ledger"));
  for (const notAbsolute of ["", "state"]) {
    vi.stubEnv("XDG_STATE_HOME", notAbsolute);
    expect(fileLedger().location).toBe(join(homedir(), ".local", "state", "saas-management", "ledger"));
  }
  vi.unstubAllEnvs();
});

test("shows nothing but its location", () => {
  const ledger = fileLedger("/ledger");
  expect(JSON.stringify(ledger)).toBe('{"location":"/ledger"}');
  expect(Reflect.ownKeys(ledger).filter((key) => typeof key === "string")).toEqual(["location"]);
});

test("may come from another copy of the package", async () => {
  vi.resetModules();
  const copy = await import("../../../src/sync/ledger/ledger.js");
  await service.runAccounts(ids(10), { ledger: copy.fileLedger(service.directory) });
  await heldBy(service.runAccounts([]));
});

test("is read after the run has the lock", async () => {
  await service.runAccounts(ids(10));
  let goOn = () => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let started = () => {};
  const first = new Promise<void>((resolve) => {
    started = resolve;
  });
  const growing = service.run(["accounts"], async (batch) => {
    started();
    await waiting;
    await batch.write("accounts", accounts(20));
  });
  await first;
  const second = service.runAccounts(ids(9), {
    waitForLockMs: 60_000,
    onProgress: ({ type }) => {
      if (type === "waiting-for-lock") goOn();
    },
  });
  await growing;
  service.clock.advance(60_000);
  const error = await heldBy(second);
  expect(error.reasons[0]).toMatchObject({ known: 20, removed: 11 });
});

test("keeps installations apart", async () => {
  const installationId = service.server.createInstallation();
  await service.runAccounts(ids(10));
  const { collections } = await service.runAccounts(ids(1), { installationId });
  expect(collections.accounts).toMatchObject({ expected: { baseline: "none", known: 0 } });
});

const damages: readonly (readonly [string, () => Promise<void>])[] = [
  [
    "is truncated",
    async () => {
      const path = await service.file(COMPLETED);
      const bytes = await readFile(path);
      await writeFile(path, bytes.subarray(0, bytes.length - 20));
    },
  ],
  ["is empty", async () => writeFile(await service.file(COMPLETED), "")],
  ["is not compressed", async () => writeFile(await service.file(COMPLETED), "not gzip")],
  ["has no end", () => rewrite((text) => text.replace(/\\end .*\n/, ""))],
  ["has ids after its end", () => rewrite((text) => `${text}u11\n`)],
  ["is there twice", () => rewrite((text) => `${text}${text}`)],
  ["is of a newer version", () => rewrite((text) => text.replace('"version":1', '"version":2'))],
  [
    "is of another service",
    () => rewrite((text) => text.replace(/"endpoint":"[^"]*"/, '"endpoint":"https://x"')),
  ],
  ["has another format", () => rewrite((text) => text.replace("saas-management-ledger", "x"))],
  ["is of another collection", () => rewrite((text) => text.replace('"accounts"', '"groups"'))],
  [
    "is of another installation",
    async () => {
      const own = await service.file(COMPLETED);
      const installationId = service.server.createInstallation();
      await service.runAccounts(ids(10), { installationId });
      const [other = ""] = (await service.files()).filter((path) => path !== own);
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
  [
    "is one endless line",
    async () => writeFile(await service.file(COMPLETED), gzipSync(Buffer.alloc(33 * 1024 * 1024, "a"))),
  ],
];

test.each(damages)("holds the run if a file %s", async (_, damage) => {
  await service.runAccounts(ids(10));
  await damage();
  const error = await heldBy(service.runAccounts(ids(10)));
  expect(error.reasons[0]).toMatchObject({ rule: "unreadable-ledger", known: 0, sent: 10 });
  expect(error.error.cause).toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test("is usable again when a new baseline was approved", async () => {
  await service.runAccounts(ids(10));
  await rewrite((text) => text.replace(/\\end .*\n/, ""));
  const { approvalId } = await heldBy(service.runAccounts(ids(10)));
  const { collections } = await service.runAccounts(ids(10), { approve: approvalId });
  expect(collections.accounts).toMatchObject({ expected: { baseline: "unreadable", known: 0 } });
  expect((await service.runAccounts(ids(10))).collections.accounts?.expected).toMatchObject({
    known: 10,
    kept: 10,
  });
});

test("follows no link instead of its directory", async () => {
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
  await leave("ba9876543210.draft", 25);
  const fresh = await leave("0123456789ab.ids.0123456789ab.tmp", 23);
  await service.runAccounts(ids(10));
  expect((await service.files()).filter((path) => /tmp$|draft$/.test(path))).toEqual([fresh]);
});

describe("a baseline that cannot be opened for a moment", () => {
  const LOST = { fault: "status", status: "UNAVAILABLE" } as const;
  /** Completes a run whose answer is lost. */
  const completeUnheard = async (write: (batch: RunBatch<"accounts">) => Promise<unknown>) => {
    const { faults } = service.server;
    for (const nth of [1, 2, 3]) {
      const kind = { ...LOST, at: "answer" } as const;
      faults.add({ on: "CompleteSyncBatch", nth, ...kind });
      faults.add({ on: "AbortSyncBatch", nth, ...LOST });
    }
    await expect(service.run(["accounts"], write, { restarts: 0 })).rejects.toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
    });
    faults.clear();
  };

  test("does not hide what the run completed that began meanwhile", async () => {
    for (let run = 0; run < 3; run += 1) await service.runAccounts(ids(40));
    const path = await service.file(COMPLETED);
    const aside = join(service.directory, "aside");
    await rename(path, aside);
    await mkdir(path);
    await completeUnheard(async (batch) => {
      await rmdir(path);
      await rename(aside, path);
      await batch.write("accounts", accounts(70));
    });
    const error = await heldBy(service.runAccounts(ids(40)));
    expect(error.reasons[0]).toMatchObject({ known: 70, removed: 30 });
  });

  test("does not hide later snapshots when it is restored from a backup", async () => {
    for (let run = 0; run < 3; run += 1) await service.runAccounts(ids(40));
    const path = await service.file(COMPLETED);
    const marker = path.replace("ids", "completed");
    const backup = await readFile(path);
    await writeFile(path, "damaged");
    const { approvalId } = await heldBy(service.runAccounts(ids(100)));
    await service.runAccounts(ids(100), { approve: approvalId });
    await completeUnheard((batch) => batch.write("accounts", accounts(150)));
    await writeFile(path, backup);
    await writeFile(marker, "");
    const error = await heldBy(service.runAccounts(ids(40)));
    expect(error.reasons[0]).toMatchObject({ known: 150, removed: 110 });
  });
});
