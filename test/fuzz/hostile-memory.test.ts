import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectService } from "../support/expect-service.js";
import { BATCHES_LEFT_ALONE } from "../support/misbehaviours/batches.js";
import { Crowd, type Misbehaviour, times } from "../support/misbehaviours/crowd.js";
import { GRAPHQL } from "../support/misbehaviours/graphql.js";
import { HTTP2 } from "../support/misbehaviours/http2.js";
import { SYNC_CALLS } from "../support/misbehaviours/sync-calls.js";
import { forkReferenceServer, type ReferenceServerProcess } from "../support/reference-server-process.js";

const MISBEHAVIOURS: readonly Misbehaviour[] = [...SYNC_CALLS, ...HTTP2, ...BATCHES_LEFT_ALONE, ...GRAPHQL];
/** So often, and four times as often. */
const ROUNDS = 1;
/**
 * How much the memory may differ from one look to the next. What a process keeps of its own work moves by some 100 KiB.
 * Four rounds make hundreds of connections or calls, of which each takes several KiB, or send megabytes.
 */
const NOISE_BYTES = 1024 * 1024;
/** What a connection takes that is open. */
const CONNECTION_BYTES = 64 * 1024;
/** A leak grows whenever it is looked for, and noise does not. */
const LOOKS = 3;

let server: ReferenceServerProcess;
beforeAll(async () => {
  server = await forkReferenceServer();
}, 120_000);
afterAll(() => server?.stop());

/** Bytes that are left of it when its connections are gone. */
async function left(act: Misbehaviour["act"], rounds: number): Promise<number> {
  await times(rounds, async () => {
    const crowd = new Crowd(server);
    await act(crowd);
    await server.quiet();
    crowd.drop();
  });
  return server.left();
}

/** By how much four times as many rounds leave more than some. */
async function growth(act: Misbehaviour["act"]): Promise<number> {
  const few = await left(act, ROUNDS);
  return (await left(act, 4 * ROUNDS)) - few;
}

describe("the memory of the reference server", { timeout: 120_000 }, () => {
  it.each(MISBEHAVIOURS.map((misbehaviour) => [misbehaviour.name, misbehaviour] as const))(
    "is bounded, while others are served, and no more is left however often there were %s",
    async (_, { act, heldBytes = 0 }) => {
      const before = await left(act, 1);
      const crowd = new Crowd(server);
      onTestFinished(() => crowd.drop());
      await act(crowd);
      const held = (await server.held()) - before;
      await expectService(server);
      expect(held).toBeLessThan(heldBytes + crowd.size * CONNECTION_BYTES + NOISE_BYTES);
      crowd.drop();

      let least = await growth(act);
      for (let looks = 1; looks < LOOKS && least > NOISE_BYTES; looks += 1)
        least = Math.min(least, await growth(act));
      expect(least).toBeLessThan(NOISE_BYTES);
    },
  );
});
