import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Attack, held, refused } from "./attack.js";
import { LEASE_MS, people, type World } from "./world.js";

const SCRIPT = fileURLToPath(new URL("../../../support/killed-run-script.ts", import.meta.url));

/** Ways in which a process ends before its run does. */
export const processAttacks: readonly Attack[] = [
  {
    name: "a process is killed in mid-write, and the next one gets half of the records",
    stop: "removal guard",
    ending: held(/20 of 40/),
    prepare: (world) => another(world, "draft", 20),
    attack: ({ send }) => send(people(0, 20)),
  },
  {
    name: "a process is killed in mid-write, and the next one finds its lock",
    stop: "journal",
    ending: { kind: "whole" },
    prepare: (world) => another(world, "draft", 20),
    attack: ({ send }) => send(people()),
  },
  {
    name: "a process exits in mid-write",
    stop: "not completed",
    ending: refused("ENDED", /^exit code 0/),
    attack: (world) => ending(another(world, "exit", 20)),
  },
  {
    name: "a process gets SIGTERM in mid-write, and its source ends quietly",
    stop: "not completed",
    ending: refused("ENDED", /^exit code 1.*CLOSED/s),
    attack: (world) => ending(another(world, "terminated", 20)),
  },
  {
    name: "a process is killed after the completion and before the ledger noted it",
    stop: "removal guard",
    ending: held(/40 of 80 known ids/),
    prepare: (world) => another(world, "completed", 80),
    attack: ({ send }) => send(people()),
    heldAfterwards: true,
  },
  {
    name: "a process is killed before the completion was sent",
    stop: "removal guard",
    ending: held(/among them 20 of the 40 of the last completed snapshot/),
    prepare: async (world) => {
      await another(world, "saved", 100);
      world.server.clock.advance(LEASE_MS);
    },
    attack: ({ send }) => send(people(20, 100)),
    heldAfterwards: true,
  },
  {
    name: "two processes with the same ledger run at once",
    stop: "lock",
    ending: refused("ENDED", /^exit code 1.*BATCH_IN_PROGRESS/s),
    attack: async (world) => {
      let second: Promise<string> | undefined;
      await world
        .run(["accounts"], async (batch) => {
          await batch.write("accounts", people());
          second = another(world, "whole", 20);
          await second;
          throw new Error("enough");
        })
        .catch(() => {});
      return ending(second);
    },
  },
];

/** Runs a run of the first accounts in another process; how that ended. */
function another({ server, directory }: World, when: string, count: number): Promise<string> {
  const args = [server.syncUrl, server.apiKey, server.installationId, directory, when];
  const ids = people(0, count).map(({ generic }) => generic.id);
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import=tsx", SCRIPT, ...args, ...ids], (error, _, stderr) => {
      resolve(error?.signal ?? `exit code ${error?.code ?? 0}: ${stderr}`);
    });
  });
}

/** How another process ended, as a run that was refused. */
async function ending(process: Promise<string> | undefined): Promise<never> {
  throw Object.assign(new Error(await process), { code: "ENDED" });
}
