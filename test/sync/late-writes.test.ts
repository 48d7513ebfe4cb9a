import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

/** A batch whose accounts are sealed, and the calls that are still possible. */
async function sealed(options: Parameters<typeof harness.startBatch>[0] = {}) {
  const batch = await harness.startBatch(options);
  const open = batch.writer("accounts");
  await open.write(accounts(2));
  await open.end();
  return { batch, open };
}

/** A batch whose completion got an answer and is waiting for its next attempt. */
async function inPause(answer: { readonly code: number; readonly details: string }) {
  const clock = new TestClock({ startAt: new Date(0) });
  const retry = { retries: 2, minDelayMs: 1000, maxDelayMs: 1000 };
  const { batch, open } = await sealed({ clock, retry });
  harness.server.scripts.CompleteSyncBatch.push(answer);
  const completion = batch.complete();
  completion.catch(() => {});
  await until(() => completions() === 1 && clock.pausing === 1);
  return { batch, open, completion, clock };
}

const completions = () => harness.server.calls.filter((call) => call === "CompleteSyncBatch").length;

test("does not send the completion if a writer's write is refused while it waits for its key", async () => {
  let give: ((key: string) => void) | undefined;
  let waits = false;
  const apiKey = () =>
    waits
      ? new Promise<string>((resolve) => {
          give = resolve;
        })
      : "key-1";
  const { batch, open } = await sealed({ apiKey });
  waits = true;
  const completion = batch.complete();
  await until(() => give !== undefined);
  await expect(open.write(accounts(1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  give?.("key-1");
  await expect(completion).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  expect(completions()).toBe(0);
  waits = false;
  await batch.abort();
  expect(batch.state).toBe("aborted");
});

test("does not send a refused completion again after a write was refused in the pause", async () => {
  const { batch, completion, clock } = await inPause({ code: 8, details: "slow down" });
  await expect(batch.write("usage", [])).rejects.toMatchObject({ code: "BATCH_STATE" });
  clock.advance(1000);
  await expect(completion).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  expect(completions()).toBe(1);
  expect(batch.state).toBe("active");
});

test("leaves the outcome unknown if a writer's write is refused after the answer to the completion was lost", async () => {
  const { batch, open, completion, clock } = await inPause({ code: 14, details: "connection dropped" });
  await expect(open.write(accounts(1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  clock.advance(1000);
  await expect(completion).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  expect(completions()).toBe(1);
  expect(batch.state).toBe("unknown");
});

test("keeps the stats of a completed batch, no matter what is refused later", async () => {
  const { batch, open } = await sealed();
  await batch.complete();
  await expect(open.write(accounts(1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({ code: "BATCH_STATE" });
  expect(batch.stats).toMatchObject({ accounts: { sent: 2, accepted: 2 } });
});

test("completes if a writer's write was refused while the completion was in flight", async () => {
  const { batch, open } = await sealed();
  const answer = harness.server.hold("CompleteSyncBatch");
  const completion = batch.complete();
  await until(() => completions() === 1);
  await expect(open.write(accounts(1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  answer();
  await completion;
  expect(batch.state).toBe("completed");
  expect(batch.stats).toMatchObject({ accounts: { sent: 2, accepted: 2 } });
});

test("completing a batch fires its signal, and a sealed collection still returns its counts", async () => {
  const { batch, open } = await sealed();
  await batch.complete();
  expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  await expect(open.end()).resolves.toMatchObject({ accepted: 2 });
});
