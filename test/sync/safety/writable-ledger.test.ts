/** A run checks that the ledger is writable before it reads the source, and reports if its end can't be noted. */

import { constants } from "node:fs";
import promises, { mkdir, readdir, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { fileLedger, type Ledger, type Store, storeLedger } from "@saas-management/sdk";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import type { RunFunction } from "../../support/connector.js";
import { failingStore, isPutOf, isState } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

type FileCall = "link" | "fsync" | "write" | "open" | "mkdir" | "read" | "unlink";

/** The call that the file system refuses, and the error code of the refusal. */
const lacking = { call: "", code: "" };
const real = { ...promises };

function refuse(call: FileCall): void {
  if (lacking.call !== call) return;
  const message = `${lacking.code}: not here, ${call}`;
  throw Object.assign(new Error(message), { code: lacking.code, syscall: call });
}

/** An open file that refuses the same calls as the file system. */
function refusing(file: promises.FileHandle): promises.FileHandle {
  const { appendFile, sync, read } = file;
  const of =
    (call: FileCall, go: (...args: never[]) => unknown) =>
    async (...args: unknown[]) => {
      refuse(call);
      return Reflect.apply(go, file, args);
    };
  return Object.assign(file, {
    appendFile: of("write", appendFile),
    sync: of("fsync", sync),
    read: of("read", read),
  });
}

/** Node's own functions, which the file store uses. */
beforeAll(() => {
  const replaced: Partial<typeof promises> = {
    open: async (path, flags, mode) => {
      if (typeof flags === "number" && (flags & constants.O_CREAT) !== 0) refuse("open");
      return refusing(await real.open(path, flags, mode));
    },
    link: async (from, to) => {
      refuse("link");
      await real.link(from, to);
    },
    unlink: async (path) => {
      refuse("unlink");
      await real.unlink(path);
    },
  };
  const makeDirectory = async (...args: Parameters<typeof real.mkdir>) => {
    refuse("mkdir");
    return real.mkdir(...args);
  };
  Object.assign(promises, replaced, { mkdir: makeDirectory });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(promises, real);
  syncBuiltinESMExports();
});

const logged: string[] = [];
const log = (message: string) => void logged.push(message);
const logger = { debug: () => {}, info: () => {}, warn: log, error: log };
const service = testService({ sync: { logger } });
beforeEach(() => {
  logged.length = 0;
  lacking.call = "";
});

/** Runs and previews a connector whose source must not be read. @returns the error of both */
async function refusals(
  options: { readonly ledger?: Ledger } = {},
  snapshots: ["accounts"] | [] = ["accounts"],
) {
  const { installationId } = service;
  let isRead = false;
  const connector = {
    snapshots,
    run: async () => {
      isRead = true;
    },
  };
  const given = { installationId, ledger: fileLedger(service.directory), ...options };
  const errors: unknown[] = [];
  for (const way of ["run", "preview"] as const)
    await service.sync[way](connector, given).catch((error: unknown) => errors.push(error));
  expect(isRead).toBe(false);
  expect(errors).toHaveLength(2);
  return errors;
}

const ELSEWHERE = "Use a directory on a local disk, or postgresLedger.";
const NO_LINKS = `this file system has no hard links. ${ELSEWHERE}`;

test.each<[FileCall, string, string]>([
  ["link", "ENOTSUP", NO_LINKS],
  ["link", "EPERM", NO_LINKS],
  ["link", "ENOSYS", NO_LINKS],
  ["fsync", "EINVAL", `this file system cannot sync files. ${ELSEWHERE}`],
  ["fsync", "EIO", "EIO: not here, fsync."],
  ["write", "ENOSPC", "ENOSPC: not here, write."],
  ["write", "EDQUOT", "EDQUOT: not here, write."],
  ["open", "EROFS", "EROFS: not here, open."],
  ["mkdir", "EACCES", "EACCES: not here, mkdir."],
  ["read", "EIO", "EIO: not here, read."],
  ["unlink", "EACCES", "EACCES: not here, unlink."],
])("if %s fails with %s, reads nothing, and names the folder and the cause", async (call, code, why) => {
  for (const snapshots of [["accounts"], []] satisfies (["accounts"] | [])[]) {
    lacking.call = call;
    lacking.code = code;
    for (const error of await refusals({}, snapshots)) {
      expect(error).toMatchObject({ code: "INVALID_CONFIGURATION" });
      expect(String(error)).toContain(`The ledger (${service.directory}) could not be `);
      expect(String(error)).toContain(why);
    }
  }
  expect(service.states()).toEqual([]);
});

test("the error of a ledger inside a file names the folder", async () => {
  const directory = join(service.directory, "file", "ledger");
  await writeFile(join(service.directory, "file"), "");
  for (const error of await refusals({ ledger: fileLedger(directory) }))
    expect(String(error)).toMatch(/The ledger \(.*file\/ledger\) could not be (read|written): ENOTDIR/);
});

test.each<[string, (below: Store) => Store]>([
  ["does not find what it has stored", (below) => ({ ...below, get: async () => undefined })],
  ["stores nothing", (below) => ({ ...below, putIfAbsent: async () => true })],
  ["says that it has every key", (below) => ({ ...below, putIfAbsent: async () => false })],
  [
    "cuts what it stores",
    (below) => ({
      ...below,
      putIfAbsent: (key, value) =>
        below.putIfAbsent(
          key,
          (async function* () {
            for await (const piece of value) yield piece.subarray(1);
          })(),
        ),
    }),
  ],
])("a store that %s is detected before anything is read", async (_, broken) => {
  for (const error of await refusals({ ledger: storeLedger(broken(memoryStore())) }))
    expect(error).toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test("the check leaves nothing behind, and makes three calls to the store", async () => {
  const calls: string[] = [];
  const below = memoryStore();
  const watched = (method: keyof Store, key: string) => {
    if (/probe/.test(key)) calls.push(method);
  };
  const store: Store = {
    putIfAbsent: (key, value) => {
      watched("putIfAbsent", key);
      return below.putIfAbsent(key, value);
    },
    get: (key) => {
      watched("get", key);
      return below.get(key);
    },
    list: (prefix) => below.list(prefix),
    delete: (key) => {
      watched("delete", key);
      return below.delete(key);
    },
  };
  await service.runAccounts(ids(3), { ledger: storeLedger(store) });
  expect(calls).toEqual(["putIfAbsent", "get", "delete"]);
  await service.runAccounts(ids(3), { firstRun: true });
  const [folder = ""] = await readdir(service.directory);
  expect((await readdir(join(service.directory, folder))).filter((name) => /probe/.test(name))).toEqual([]);
});

const events: RunFunction<never> = async (batch) =>
  void (await batch.write("usage", [{ id: "e1", sourceActorId: "a", lastActivity: new Date(1e12) }]));

test("a completed run says so if its state could not be stored, even if the run has only events", async () => {
  const below = memoryStore();
  await service.runAccounts(ids(3), { ledger: storeLedger(below) });
  const ledger = storeLedger(failingStore(below, isPutOf("state"), new Error("the disk is full")));
  const snapshot = await service.runAccounts(ids(3), { ledger });
  expect(snapshot.surprises).toEqual([
    "the batch was completed, but the ledger could not record it (The ledger (store) could not be written: the disk is full): the next run is compared with both snapshots, and sends the same events again",
  ]);
  expect(String(snapshot)).toContain("Unexpected: the batch was completed, but");
  const sent = await service.run([], events, { ledger });
  expect(sent.surprises).toEqual([
    expect.stringMatching(
      /could not record it \(.*the disk is full\): the next run sends the same events again$/,
    ),
  ]);
  expect(logged.filter((message) => message.includes("could not record it"))).toHaveLength(2);
});

test("a stored state causes no warning, even if the one it replaces cannot be deleted", async () => {
  const below = memoryStore();
  for (let run = 0; run < 2; run += 1) await service.runAccounts(ids(3), { ledger: storeLedger(below) });
  const undeletable = ({ method, key }: { method: string; key: string }) =>
    method === "delete" && isState(key);
  const ledger = storeLedger(failingStore(below, undeletable, new Error("read only")));
  expect(await service.runAccounts(ids(3), { ledger })).toMatchObject({ surprises: [] });
  expect(logged).toEqual([
    expect.stringContaining("could not delete values that the ledger no longer needs"),
  ]);
});

test.each<[string, (next: string) => Promise<unknown>]>([
  ["a folder has its name", (next) => mkdir(next)],
  ["another service's folder has its name", (next) => mkdir(join(next, "x"), { recursive: true })],
])(
  "a run gives up after a few tries if it cannot put the next state because %s, and names the file to remove",
  async (_, block) => {
    await service.runAccounts(ids(40));
    const first = await service.file(/state\.00000001$/);
    const next = join(dirname(first), "state.00000002");
    await block(next);
    const { surprises } = await service.clock.drive(service.runAccounts(ids(40)));
    expect(surprises).toEqual([
      expect.stringContaining(`${next} in 5 tries: the store has something with this name`),
    ]);
    expect(service.states()).toEqual(["completed", "completed"]);
  },
);

test("a store whose list lags behind is asked for the next state five times, and no more", async () => {
  const below = memoryStore();
  let puts = 0;
  const store: Store = {
    ...below,
    putIfAbsent: async (key, value) => {
      if (!isState(key)) return below.putIfAbsent(key, value);
      puts += 1;
      return puts === 1 && below.putIfAbsent(key, value);
    },
  };
  await service.runAccounts(ids(40), { ledger: storeLedger(store) });
  const run = service.runAccounts(ids(40), { ledger: storeLedger(store) });
  const { surprises } = await service.clock.drive(run);
  expect(puts).toBe(1 + 5);
  expect(surprises).toEqual([expect.stringContaining("state.00000002 in 5 tries")]);
});

test.each(["99999999999999999999", "9007199254740993", "1000000000000001"])(
  "a state with the impossible number %s counts as damaged, not as the newest",
  async (number) => {
    await service.runAccounts(ids(40));
    const path = join(dirname(await service.file(/state\.00000001$/)), `state.${number}`);
    await writeFile(path, "");
    const { error, reasons } = await heldBy(service.runAccounts(ids(40)));
    expect(reasons).toMatchObject([{ rule: "unreadable-ledger", known: 40 }]);
    expect(error.message).toContain(path);
    await expect(service.run([], async () => {})).rejects.toThrow(path);
  },
);
