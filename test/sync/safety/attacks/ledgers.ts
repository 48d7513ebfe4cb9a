import { copyFile, mkdir, readFile, rename, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileLedger, type Ledger, memoryLedger } from "@saas-management/sdk/sync";
import { type Attack, type Ending, held, refused } from "./attack.js";
import { people, type World } from "./world.js";

const COMPLETED = /accounts\.completed\.gz$/;

/** Ways in which the ledger is not what it was, each beside a source that gives half of the records. */
export const ledgerAttacks: readonly Attack[] = [
  spoiled("the ledger's file is truncated", /cannot be read/, (bytes) => bytes.subarray(0, -20)),
  spoiled("the ledger's file is empty", /cannot be read/, () => Buffer.alloc(0)),
  rewritten("the ledger's file lacks the ids that would go", /its checksum is wrong/, (text) =>
    text.replace(/(né-[23]\d\n)+/g, ""),
  ),
  rewritten("the ledger's file is of a newer version", /version/, (text) =>
    text.replace('"version":1', '"version":2'),
  ),
  rewritten("the ledger's file is of another service", /it belongs to another endpoint/, (text) =>
    text.replace(/"endpoint":"[^"]*"/, '"endpoint":"https://sync.example.com"'),
  ),
  ledgerAttack(
    "the ledger's file is of another installation",
    held(/it belongs to another installation/),
    async (world) => {
      const own = await world.file(COMPLETED);
      const elsewhere = join(world.directory, "elsewhere");
      const installationId = world.server.createInstallation();
      await world.send(people(0, 20), { installationId, ledger: fileLedger(elsewhere) });
      await copyFile(await world.file(/elsewhere.*accounts\.completed\.gz$/), own);
      await rm(elsewhere, { recursive: true });
    },
  ),
  ledgerAttack("the ledger's file is replaced by a link", held(/is a link/), async ({ file, directory }) => {
    const path = await file(COMPLETED);
    await rename(path, join(directory, "elsewhere.gz"));
    await symlink(join(directory, "elsewhere.gz"), path);
  }),
  {
    ...ledgerAttack(
      "the ledger is deleted, and `requireBaseline` is set",
      held(/the ledger knows nothing of accounts/),
      forget,
    ),
    attack: ({ send }) => send(people(0, 20), { guard: { requireBaseline: true } }),
  },
  {
    ...ledgerAttack("the ledger is deleted", { kind: "told", removed: 20 }, forget),
    stop: "reported",
  },
  {
    name: "the ledger is an old copy, which lacks what was added since",
    stop: "reported",
    ending: { kind: "told", removed: 20 },
    prepare: async ({ send, file, directory }) => {
      const path = await file(COMPLETED);
      await copyFile(path, join(directory, "backup"));
      await send(people(0, 60));
      await copyFile(join(directory, "backup"), path);
    },
    attack: ({ send }) => send(people()),
  },
  {
    name: "the ledger cannot be opened while a run begins, and the answer to its completion is lost",
    stop: "removal guard",
    ending: held(/60 of 100 known ids of accounts would be removed/),
    prepare: async (world) => {
      const path = await world.file(COMPLETED);
      const aside = join(world.directory, "aside");
      await rename(path, aside);
      await mkdir(path);
      world.breakTwice("CompleteSyncBatch", "answer");
      world.breakTwice("AbortSyncBatch");
      const unheard = world.run(
        ["accounts"],
        async (batch) => {
          await rmdir(path);
          await rename(aside, path);
          await batch.write("accounts", people(0, 100));
        },
        { restarts: 0 },
      );
      await unheard.catch(() => {});
      world.server.faults.clear();
    },
    attack: ({ send }) => send(people()),
    heldAfterwards: true,
  },
  {
    name: "the installation's id is another one, and `requireBaseline` is set",
    stop: "removal guard",
    ending: held(/the ledger knows nothing of accounts/),
    attack: ({ send, directory }) =>
      send(people(0, 20), { ledger: fileLedger(join(directory, "b")), guard: { requireBaseline: true } }),
  },
  {
    name: "the installation's id is another one: its records are those of another connector",
    stop: "reported",
    ending: { kind: "told", removed: 40 },
    attack: ({ send, directory }) =>
      // The service knows 40 accounts of this installation, and the ledger of this connector none.
      send([{ generic: { id: "of another connector" } }], { ledger: fileLedger(join(directory, "b")) }),
  },
  {
    name: '`requireBaseline` is set with `ledger: "none"`',
    stop: "option checks",
    ending: refused("INVALID_INPUT", /guard\.requireBaseline needs a ledger/),
    attack: ({ send }) => send(people(0, 20), { ledger: "none", guard: { requireBaseline: true } }),
  },
  {
    name: "the ledger's path is relative, and the process goes to another directory",
    stop: "removal guard",
    ending: held(/20 of 40 known ids of accounts would be removed/),
    attack: async ({ send, directory }) => {
      const before = process.cwd();
      try {
        process.chdir(directory);
        const ledger = fileLedger(".");
        process.chdir(before);
        return await send(people(0, 20), { ledger });
      } finally {
        process.chdir(before);
      }
    },
  },
  {
    name: "the ledger cannot be read",
    stop: "ledger checks",
    ending: held(/what the ledger knows of accounts cannot be read/),
    attack: ({ send }) =>
      send(people(0, 20), { ledger: { ...memoryLedger(), known: () => Promise.reject(new Error("away")) } }),
  },
  {
    name: "the ledger's disk is full",
    stop: "ledger checks",
    ending: refused(
      "INVALID_CONFIGURATION",
      /could not take down the ids of accounts, so nothing was completed/,
    ),
    attack: ({ send, directory }) => {
      const files = fileLedger(directory);
      const full: Ledger = {
        ...files,
        draft: async (...args) => ({
          ...(await files.draft(...args)),
          save: () => Promise.reject(new Error("ENOSPC")),
        }),
      };
      return send(people(0, 35), { ledger: full });
    },
  },
];

function ledgerAttack(name: string, ending: Ending, prepare: (world: World) => Promise<unknown>): Attack {
  return {
    name,
    stop: "ledger checks",
    ending,
    prepare,
    attack: ({ send }) => send(people(0, 20)),
    heldAfterwards: true,
  };
}

function spoiled(name: string, message: RegExp, spoil: (bytes: Buffer) => Uint8Array): Attack {
  return ledgerAttack(name, held(message), async ({ file }) => {
    const path = await file(COMPLETED);
    await writeFile(path, spoil(await readFile(path)));
  });
}

function rewritten(name: string, message: RegExp, change: (text: string) => string): Attack {
  return spoiled(name, message, (bytes) => gzipSync(change(gunzipSync(bytes).toString())));
}

async function forget({ directory }: World): Promise<void> {
  await rm(directory, { recursive: true });
}
