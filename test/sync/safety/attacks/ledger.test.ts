import { cp, mkdir, readFile, rename, rm, rmdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Ledger, type RunBatch, storeLedger } from "@saas-management/sdk";
import { FileStore } from "../../../../src/runs/ledger/file-store.js";
import { editFile } from "../../../support/ledger-values.js";
import { failingStore, isPutOf } from "../../../support/stores.js";
import type { TestService } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  type Ending,
  held,
  leaveUnclear,
  people,
  reaching,
  refused,
  send,
  testAttacks,
} from "./attacks.js";

const COMPLETED = /accounts\..+\.ids$/;
const UNREADABLE = held({ rule: "unreadable-ledger" });

const forget = ({ directory }: TestService) => rm(directory, { recursive: true });

testAttacks([
  blinded("empty", () => ""),
  blinded("edited by hand", (text) => text.replace('"sent":40', '"sent":30')),
  blinded("cut in its last line", (text) => text.replace(/\\end .*/, "\\end")),
  blinded("that of an earlier run", (_, earlier) => earlier),
  halfOf("the ledger file is replaced by a link", UNREADABLE, async (service) => {
    const path = await service.file(COMPLETED);
    await rename(path, join(service.directory, "elsewhere"));
    await symlink(join(service.directory, "elsewhere"), path);
  }),
  halfOf("the ledger is deleted", held({ rule: "no-baseline" }), forget),
  attack(
    "the ledger is deleted, and `firstRun` is set",
    { kind: "warned", removed: 20 },
    {
      prepare: forget,
      attack: (service) => send(service, people(0, 20), { firstRun: true }),
      heldAfterwards: true,
    },
  ),
  attack(
    "the ledger is an old copy, which lacks what was added since",
    { kind: "warned", removed: 20 },
    {
      prepare: async (service) => {
        const folder = dirname(await service.file(COMPLETED));
        const backup = join(service.directory, "backup");
        await cp(folder, backup, { recursive: true });
        await send(service, people(0, 60));
        await rm(folder, { recursive: true });
        await rename(backup, folder);
      },
      attack: (service) => send(service, people()),
    },
  ),
  attack(
    "the ledger cannot be opened when a run begins, and the answer to its completion is lost",
    held({ known: 80, removed: 40 }),
    {
      prepare: async (service) => {
        const path = await service.file(COMPLETED);
        const aside = join(service.directory, "aside");
        await rename(path, aside);
        await mkdir(path);
        const restore = async (batch: RunBatch<"accounts">) => {
          await rmdir(path);
          await rename(aside, path);
          await batch.write("accounts", people(0, 80));
        };
        const options = { retryForMs: 0, guard: { added: false } } as const;
        await leaveUnclear(service, () => service.run(["accounts"], restore, options));
      },
      attack: (service) => send(service, people()),
      heldAfterwards: true,
    },
  ),
  attack("the store of the user cannot read its values", refused("INVALID_CONFIGURATION"), (service) =>
    send(service, people(0, 20), { ledger: failing(service, ({ method }) => method === "get") }),
  ),
  attack("the store of the user returns no list", refused("INVALID_CONFIGURATION"), (service) => {
    const store = Object.assign(new FileStore(service.directory), { list: () => JSON.parse("null") });
    return send(service, people(0, 20), { ledger: storeLedger(store) });
  }),
  attack("the disk of the ledger is full", reaching("records", refused("INVALID_CONFIGURATION")), (service) =>
    send(service, people(0, 35), { ledger: failing(service, isPutOf("ids")) }),
  ),
]);

/** Once it's prepared, the source contains only half of the records. */
function halfOf(name: string, ending: Ending, prepare: (service: TestService) => Promise<unknown>): Attack {
  return attack(name, ending, {
    prepare,
    attack: (service) => send(service, people(0, 20)),
    heldAfterwards: true,
  });
}

function failing({ directory }: TestService, fails: Parameters<typeof failingStore>[1]): Ledger {
  return storeLedger(failingStore(new FileStore(directory), fails, new Error("away")));
}

/** A source loses some records each day, and somebody has changed the counts of earlier days. */
function blinded(how: string, damage: (text: string, earlier: string) => string): Attack {
  const remembered = async (service: TestService) =>
    (await service.files()).findLast((path) => /state\.\d+$/.test(path)) ?? "";
  return attack(`the counts of earlier snapshots are ${how}`, UNREADABLE, {
    prepare: async (service) => {
      const earlier = await readFile(await remembered(service), "utf8");
      await send(service, people(0, 36));
      await send(service, people(0, 32));
      await editFile(await remembered(service), (text) => damage(text, earlier));
    },
    attack: (service) => send(service, people(0, 28)),
    heldAfterwards: true,
  });
}
