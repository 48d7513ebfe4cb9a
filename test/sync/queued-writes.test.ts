import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

/** A batch whose first write waits for the service, and what lets that go on. */
async function startBusy() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  harness.server.beforeAnswer = () => answered;
  const batch = await harness.startBatch();
  const first = batch.write("accounts", accounts(1));
  await until(() => harness.server.streams[0]?.messages.length === 1);
  return { batch, first, answer };
}

describe("a write whose signal fires while it waits for its turn", () => {
  it("rejects at once with the signal's reason, reads nothing of its source and leaves no listener", async () => {
    const { batch, first, answer } = await startBusy();
    const stop = new AbortController();
    let read = 0;
    function* source() {
      read += 1;
      yield* accounts(1);
    }
    const queued = batch.write("groups", [], { signal: stop.signal });
    const another = batch.write("accounts", source(), { signal: stop.signal });
    stop.abort("enough");
    // The write before them is still waiting for the service.
    await expect(queued).rejects.toBe("enough");
    await expect(another).rejects.toBe("enough");
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    expect(batch.writes.map(({ state }) => state)).toEqual(["writing", "failed", "failed"]);
    answer();
    await expect(first).resolves.toMatchObject({ accepted: 1 });
    expect(read).toBe(0);
    expect(harness.server.streams).toHaveLength(1);
  });

  it("makes the batch incomplete, although the write in flight ends well", async () => {
    const { batch, first, answer } = await startBusy();
    const stop = new AbortController();
    const queued = batch.write("groups", [], { signal: stop.signal });
    const after = batch.write("plans", []);
    stop.abort("enough");
    await expect(queued).rejects.toBe("enough");
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    answer();
    await first;
    await expect(after).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    expect(harness.server.calls).toEqual(["StartSyncBatch"]);
  });

  it("keeps its place: what was queued after it never overtakes the write in flight", async () => {
    const { batch, answer } = await startBusy();
    const stop = new AbortController();
    const queued = batch.write("groups", [], { signal: stop.signal });
    const after = batch.write("plans", []);
    let ended = false;
    const end = () => {
      ended = true;
    };
    after.then(end, end);
    stop.abort("enough");
    await expect(queued).rejects.toBe("enough");
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    answer();
    await expect(after).rejects.toMatchObject({ code: "BATCH_STATE" });
  });

  it("leaves no listener where the signal never fires", async () => {
    const { batch, first, answer } = await startBusy();
    const { signal } = new AbortController();
    const queued = batch.write("groups", [], { signal });
    answer();
    await first;
    await queued;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    await batch.complete();
  });
});
