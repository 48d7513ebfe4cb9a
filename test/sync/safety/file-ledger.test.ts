import { execFile } from "node:child_process";
import {
  copyFile,
  link,
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
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileLedger, type RunBatch } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { heldBy, ids, records, useSafetyHarness } from "../../support/safety-harness.js";

const harness = useSafetyHarness();
const COMPLETED = /accounts\.completed\.gz$/;

describe("the files of a ledger", () => {
  it("are one for each collection, for their owner only, and readable with zcat", async () => {
    await harness.accounts(ids(3));
    const path = await harness.file(COMPLETED);
    expect(await harness.files()).toEqual([path]);
    expect(basename(dirname(path))).toContain(harness.server.installationId);
    const [head, ...lines] = gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split("\n");
    expect(head).toContain(`"installationId":"${harness.server.installationId}"`);
    expect(lines.slice(0, -1)).toEqual(ids(3));
  });

  it.skipIf(process.platform === "win32")("have mode 0600 in a directory of mode 0700", async () => {
    await harness.accounts(ids(10));
    await heldBy(harness.accounts([]));
    for (const path of await harness.files()) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    }
  });

  it("hold hashes where that was asked for, which compare as well; clear ids are taken over", async () => {
    const ledger = fileLedger(harness.directory, { hashIds: true });
    await harness.accounts(ids(10));
    const { collections } = await harness.accounts(ids(9), { ledger });
    expect(collections.accounts).toMatchObject({ baseline: "ledger", known: 10, kept: 9, gone: 1 });
    const text = gunzipSync(await readFile(await harness.file(COMPLETED))).toString();
    expect(text).not.toMatch(/^u\d$/m);
    const error = await heldBy(harness.accounts(ids(2), { ledger }));
    expect(error.collections[0]).toMatchObject({ known: 9, removed: 7 });
    expect(error.collections[0]?.firstRemoved[0]).toMatch(/^[\w-]{22}$/);
    await harness.accounts(ids(2), { ledger, approveRemovals: error.approvalId });
    // Hashes cannot be compared with ids: that is no reason to compare nothing.
    const back = await heldBy(harness.accounts(ids(2)));
    expect(back.message).toContain("say hashIds: true");
  });

  it("stay where they are when the process goes to another directory", async () => {
    const before = process.cwd();
    try {
      process.chdir(harness.directory);
      const ledger = fileLedger("ledger");
      expect(ledger.directory).toBe(join(process.cwd(), "ledger"));
      await harness.accounts(ids(10), { ledger });
      process.chdir(before);
      await heldBy(harness.accounts(ids(1), { ledger }));
    } finally {
      process.chdir(before);
    }
  });

  it("have no clear ids left once hashes are asked for, and an approval that waits stays good", async () => {
    const ledger = fileLedger(harness.directory, { hashIds: true });
    await harness.accounts(ids(40, "clear-"));
    const { approvalId } = await heldBy(harness.accounts(ids(10, "clear-")));
    await harness.accounts(ids(40, "clear-"), { ledger });
    expect(await harness.files()).toHaveLength(2);
    for (const path of await harness.files()) {
      const bytes = await readFile(path);
      expect((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()).not.toContain("clear-");
    }
    await harness.accounts(ids(10, "clear-"), { ledger, approveRemovals: approvalId });
    expect(harness.present()).toHaveLength(10);
  });

  it("lose a list that cannot be read once hashes are asked for", async () => {
    await harness.accounts(ids(40));
    const { collections } = await heldBy(harness.accounts(ids(10)));
    await writeFile(collections[0]?.listedIn ?? "", "u39\n");
    await harness.accounts(ids(40), { ledger: fileLedger(harness.directory, { hashIds: true }) });
    expect(await harness.files()).toEqual([await harness.file(COMPLETED)]);
  });

  it("take clear ids over as hashes, whatever they begin with", async () => {
    const odd = ["\ufeffu0", "\ufeff", "u1", " u2"];
    await harness.accounts(odd);
    const { collections } = await harness.accounts(odd, {
      ledger: fileLedger(harness.directory, { hashIds: true }),
    });
    expect(collections.accounts).toMatchObject({ known: 4, kept: 4, new: 0, gone: 0 });
  });

  it("are looked at only after the lock was got", async () => {
    await harness.accounts(ids(10));
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let started = () => {};
    const first = new Promise<void>((resolve) => {
      started = resolve;
    });
    const growing = harness.run(["accounts"], async (batch) => {
      started();
      await waiting;
      await batch.write("accounts", records(ids(20)));
    });
    await first;
    const second = harness.accounts(ids(9), {
      waitForLockMs: 60_000,
      onProgress: ({ type }) => {
        if (type === "waiting-for-lock") goOn();
      },
    });
    await growing;
    const error = await heldBy(second);
    expect(error.collections[0]).toMatchObject({ known: 20, removed: 11 });
  });

  it("of another installation or service in the same directory change nothing", async () => {
    const installationId = harness.server.createInstallation();
    await harness.accounts(ids(10));
    const { collections } = await harness.accounts(ids(1), { installationId });
    expect(collections.accounts).toMatchObject({ baseline: "none", known: 0 });
  });
});

describe("a file that cannot be trusted holds the run", () => {
  const rewrite = async (change: (text: string) => string) => {
    const path = await harness.file(COMPLETED);
    await writeFile(path, gzipSync(change(gunzipSync(await readFile(path)).toString())));
  };
  const cases: readonly [string, () => Promise<void>, string][] = [
    [
      "truncated",
      async () => {
        const path = await harness.file(COMPLETED);
        const bytes = await readFile(path);
        await writeFile(path, bytes.subarray(0, bytes.length - 20));
      },
      "cannot be read",
    ],
    ["empty", async () => writeFile(await harness.file(COMPLETED), ""), "cannot be read"],
    ["overwritten", async () => writeFile(await harness.file(COMPLETED), "not gzip"), "cannot be read"],
    ["without its end", () => rewrite((text) => text.replace(/\\end .*\n/, "")), "its end is missing"],
    ["lacking an id", () => rewrite((text) => text.replace("u5\n", "")), "its checksum is wrong"],
    ["with another id", () => rewrite((text) => text.replace("u5\n", "x5\n")), "its checksum is wrong"],
    ["with more after its end", () => rewrite((text) => `${text}u11\n`), "its end is missing"],
    ["of a later format", () => rewrite((text) => text.replace('"version":1', '"version":2')), "version"],
    [
      "of something else",
      () => rewrite((text) => text.replace("saas-management-ledger", "x")),
      "does not begin",
    ],
    [
      "of another service",
      () => rewrite((text) => text.replace(/"endpoint":"[^"]*"/, '"endpoint":"https://x"')),
      "it belongs to another endpoint",
    ],
    [
      "of another collection",
      () => rewrite((text) => text.replace('"accounts"', '"groups"')),
      "it belongs to another collection",
    ],
    [
      "of another installation",
      async () => {
        const own = await harness.file(COMPLETED);
        const installationId = harness.server.createInstallation();
        await harness.accounts(ids(10), { installationId });
        const [other = ""] = (await harness.files()).filter((path) => path !== own);
        await copyFile(other, own);
      },
      "it belongs to another installation",
    ],
    [
      "a symbolic link",
      async () => {
        const path = await harness.file(COMPLETED);
        await rename(path, join(harness.directory, "elsewhere.gz"));
        await symlink(join(harness.directory, "elsewhere.gz"), path);
      },
      "is a link",
    ],
    [
      "a directory",
      async () => {
        const path = await harness.file(COMPLETED);
        await rm(path);
        await mkdir(path);
      },
      "is not a file",
    ],
  ];

  it.each(cases)("one that is %s", async (_, spoil, why) => {
    await harness.accounts(ids(10));
    await spoil();
    const error = await heldBy(harness.accounts(ids(10)));
    expect(error.collections[0]).toMatchObject({ reason: "unreadable-ledger", known: 0, sent: 10 });
    expect(error.message).toContain(why);
    expect(harness.present()).toEqual(ids(10));
  });

  it("until a new baseline was approved of", async () => {
    await harness.accounts(ids(10));
    await rewrite((text) => text.replace(/\\end .*\n/, ""));
    const { approvalId } = await heldBy(harness.accounts(ids(10)));
    const { collections } = await harness.accounts(ids(10), { approveRemovals: approvalId });
    expect(collections.accounts).toMatchObject({ baseline: "unreadable", known: 0 });
    expect((await harness.accounts(ids(10))).collections.accounts).toMatchObject({ known: 10, kept: 10 });
  });

  it("and a link in the place of its directory is an error, before anything is sent", async () => {
    await harness.accounts(ids(10));
    const own = dirname(await harness.file(COMPLETED));
    await rename(own, join(harness.directory, "elsewhere"));
    await symlink(join(harness.directory, "elsewhere"), own);
    await expect(harness.accounts([])).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
    expect(harness.present()).toEqual(ids(10));
  });

  it("and one with a second name is replaced, not written into", async () => {
    await harness.accounts(ids(10));
    const path = await harness.file(COMPLETED);
    const second = join(harness.directory, "second-name.gz");
    await link(path, second);
    const before = await readFile(second);
    await harness.accounts(ids(9));
    expect(await readFile(second)).toEqual(before);
  });
});

describe("what runs that died left in the middle", () => {
  it("goes when it is a day old, or with the next run that is completed, and not before", async () => {
    await harness.accounts(ids(10));
    const completed = await harness.file(COMPLETED);
    const left = (name: string) => join(dirname(completed), `accounts.${name}`);
    const fresh = [left("completed.gz.0123456789ab.tmp"), left("0123456789ab.draft")];
    const old = left("ba9876543210.draft");
    for (const path of [...fresh, old]) await writeFile(path, "u1\n");
    const then = new Date(Date.now() - 25 * 60 * 60_000);
    await utimes(old, then, then);

    await heldBy(harness.accounts([]));
    const removals = left("removals.txt");
    expect(await harness.files()).toEqual([completed, ...fresh, removals].sort());
    await harness.accounts(ids(10));
    expect(await harness.files()).toEqual([completed, removals]);
  });
});

describe("a baseline that cannot be opened for a moment", () => {
  const LOST = { type: "grpc-status", code: 14 } as const;
  /** Completes a run of which the service's answer is lost for good. */
  const completeUnheard = async (write: (batch: RunBatch<"accounts">) => Promise<unknown>) => {
    const { faults } = harness.server;
    for (const nth of [1, 2, 3]) {
      const kind = { ...LOST, at: "answer" } as const;
      faults.add({ api: "sync", operation: "CompleteSyncBatch", nth, kind });
      faults.add({ api: "sync", operation: "AbortSyncBatch", nth, kind: LOST });
    }
    await expect(harness.run(["accounts"], write, { restarts: 0 })).rejects.toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
    });
    faults.clear();
  };

  it("while a run begins does not let the next one remove what that run had completed", async () => {
    for (let run = 0; run < 3; run += 1) await harness.accounts(ids(40));
    const path = await harness.file(COMPLETED);
    const aside = join(harness.directory, "aside");
    await rename(path, aside);
    await mkdir(path);
    await completeUnheard(async (batch) => {
      await rmdir(path);
      await rename(aside, path);
      await batch.write("accounts", records(ids(100)));
    });
    expect(harness.present()).toHaveLength(100);
    const error = await heldBy(harness.accounts(ids(40)));
    expect(error.collections[0]).toMatchObject({ known: 100, removed: 60 });
    expect(harness.present()).toHaveLength(100);
  });

  it("and is back from a backup does not hide what was completed since", async () => {
    for (let run = 0; run < 3; run += 1) await harness.accounts(ids(40));
    const path = await harness.file(COMPLETED);
    const backup = await readFile(path);
    await writeFile(path, "damaged");
    const { approvalId } = await heldBy(harness.accounts(ids(100)));
    await harness.accounts(ids(100), { approveRemovals: approvalId });
    await completeUnheard((batch) => batch.write("accounts", records(ids(200))));
    await writeFile(path, backup);
    const error = await heldBy(harness.accounts(ids(40)));
    expect(error.collections[0]).toMatchObject({ known: 200, removed: 160 });
  });
});

describe("a process that is killed", () => {
  const killed = (when: string, sent: readonly string[]) =>
    new Promise<string | null>((resolve) => {
      const script = fileURLToPath(new URL("../../support/killed-run-script.ts", import.meta.url));
      const { syncUrl, apiKey, installationId } = harness.server;
      const args = ["--import=tsx", script, syncUrl, apiKey, installationId, harness.directory, when];
      execFile(process.execPath, [...args, ...sent], (error) => resolve(error?.signal ?? null));
    });
  const LEASE_MS = 15 * 60_000;

  it("after the completion and before the ledger noted it: the next run is guarded against both", async () => {
    await harness.accounts(ids(10));
    expect(await killed("completed", [...ids(10), ...ids(10, "new")])).toBe("SIGKILL");
    expect(harness.present()).toHaveLength(20);
    const error = await heldBy(harness.accounts(ids(10)));
    expect(error.collections[0]).toMatchObject({ known: 20, removed: 10 });
    const { collections } = await harness.accounts([...ids(10), ...ids(10, "new")]);
    expect(collections.accounts).toMatchObject({ baseline: "unclear", known: 20, kept: 20 });
    expect((await harness.accounts(ids(10, "new").concat(ids(10)))).collections.accounts).toMatchObject({
      baseline: "ledger",
      known: 20,
    });
    expect((await harness.files()).filter((path) => !path.endsWith("removals.txt"))).toHaveLength(1);
  });

  it("before the completion was sent: the next run is guarded against both", async () => {
    await harness.accounts(ids(10));
    expect(await killed("saved", [...ids(10), ...ids(10, "new")])).toBe("SIGKILL");
    harness.server.clock.advance(LEASE_MS);
    const error = await heldBy(harness.accounts(ids(10, "new")));
    expect(error.collections[0]).toMatchObject({ known: 20, kept: 10, removed: 10 });
  });

  it("in the middle of the write: what it had sent is not known, and its files are swept away", async () => {
    await harness.accounts(ids(10));
    expect(await killed("draft", ids(10, "new"))).toBe("SIGKILL");
    harness.server.clock.advance(LEASE_MS);
    // The ledger's own file, and what was being drafted.
    expect(await harness.files()).toHaveLength(2);
    expect((await harness.accounts(ids(10))).collections.accounts).toMatchObject({
      baseline: "ledger",
      known: 10,
      gone: 0,
    });
    expect(await harness.files()).toHaveLength(1);
  });
});
