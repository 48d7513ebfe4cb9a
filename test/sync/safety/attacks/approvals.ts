import { writeFile } from "node:fs/promises";
import { RemovalGuardError } from "@saas-management/sdk/sync";
import { type Attack, held } from "./attack.js";
import { people, type World } from "./world.js";

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** Ways in which an approval is taken for more than it is. */
export const approvalAttacks: readonly Attack[] = [
  approvalAttack("an approval is used a second time", /no approval waits for it/, {
    heldAfterwards: true,
    approved: async (world) => {
      await world.send(people(0, 100));
      const id = await approvalOf(world, 60);
      await world.send(people(0, 60), { approveRemovals: id });
      return id;
    },
  }),
  approvalAttack("an approval is of an earlier run that was held", /it is not the one that waits/, {
    approved: async (world) => {
      const id = await approvalOf(world, 20);
      await approvalOf(world, 19);
      return id;
    },
  }),
  approvalAttack("more would be removed than was approved of", /other records would be removed/, {
    approved: (world) => approvalOf(world, 21),
  }),
  approvalAttack("others would be removed than were approved of", /other records would be removed/, {
    approved: (world) => approvalOf(world, 20),
    sent: people(20),
  }),
  approvalAttack("an approval is older than seven days", /it expired/, {
    approved: async (world) => {
      const id = await approvalOf(world, 20);
      world.server.clock.advance(WEEK_MS);
      return id;
    },
  }),
  {
    name: "an approval of a new baseline is given, and the source has half of the records",
    stop: "removal guard",
    ending: held(/too many of the records are missing that the held run had/),
    heldAfterwards: true,
    attack: async (world) => {
      await writeFile(await world.file(/accounts\.completed\.gz$/), "damaged");
      return world.send(people(0, 20), { approveRemovals: await approvalOf(world, 40) });
    },
  },
  approvalAttack("an approval is made up", /it is not the one that waits/, {
    approved: async (world) => {
      await approvalOf(world, 20);
      return "yes";
    },
  }),
  approvalAttack("an approval is of another installation", /no approval waits for it/, {
    approved: async (world) => {
      const installationId = world.server.createInstallation();
      await world.send(people(), { installationId });
      return approvalOf(world, 20, installationId);
    },
  }),
  {
    name: "an approval was given, and a restart gets fewer records than the attempt before",
    stop: "removal guard",
    ending: held(/an earlier attempt of this run had sent more/),
    attack: async (world) => {
      const approveRemovals = await approvalOf(world, 20);
      world.breakTwice("SyncRecords", "request", 5);
      return world.send(({ number }) => (number === 1 ? people(100, 200) : people(0, 20)), {
        approveRemovals,
      });
    },
  },
];

interface ApprovalAttack {
  /** Gets the id that the attack then uses. */
  readonly approved: (world: World) => Promise<string | undefined>;
  readonly sent?: ReturnType<typeof people>;
  readonly heldAfterwards?: boolean;
}

function approvalAttack(
  name: string,
  message: RegExp,
  { approved, sent = people(0, 20), heldAfterwards = false }: ApprovalAttack,
): Attack {
  let approveRemovals: string | undefined;
  return {
    name,
    stop: "removal guard",
    ending: held(message),
    prepare: async (world) => {
      approveRemovals = await approved(world);
    },
    attack: (world) => world.send(sent, { approveRemovals }),
    heldAfterwards,
  };
}

/** What a run that sends so many accounts has to say to go through. */
async function approvalOf(
  { send, server }: World,
  count: number,
  installationId = server.installationId,
): Promise<string | undefined> {
  const outcome: unknown = await send(people(0, count), { installationId }).catch((error: unknown) => error);
  if (!(outcome instanceof RemovalGuardError)) throw new Error("the run was not held");
  return outcome.approvalId;
}
