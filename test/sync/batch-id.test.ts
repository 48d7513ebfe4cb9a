import type { RunOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { StartSyncBatchResponse } from "../../src/sync/generated/contract.js";
import { connectorOf } from "../support/connector.js";
import { answerWhenRead } from "../support/grpc-replies.js";
import { rejection } from "../support/promises.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LIMIT = 1000;

/** A run that sends accounts with these names in messages of at most 1,000 bytes, with a batch id of this length. */
function run(
  idLength: number,
  names: readonly string[],
  options: Partial<RunOptions> = {},
  limits: { readonly maxSendMessageBytes?: number } = { maxSendMessageBytes: LIMIT },
) {
  const { answer } = harness.server;
  const batchId = "b".repeat(idLength);
  harness.server.answer = (stream, operation, headers) => {
    if (operation !== "StartSyncBatch") return answer(stream, operation, headers);
    answerWhenRead(stream, StartSyncBatchResponse.encode({ batchId }).finish());
  };
  const connector = connectorOf(["accounts"], (batch) =>
    batch.write(
      "accounts",
      names.map((name, i) => ({ id: `u${i}`, name })),
    ),
  );
  const client = harness.client(limits);
  return client.run(connector, { installationId: "i", ledger: "none", ...options });
}

const sizes = () => harness.server.streams.flatMap(({ messages }) => messages).map(({ length }) => length);

test.each([1, 36, 64])(
  "no message of a run exceeds its limit with a batch id of %d characters",
  async (length) => {
    await run(
      length,
      Array.from({ length: 100 }, () => "x".repeat(50)),
    );
    expect(Math.max(...sizes())).toBeLessThanOrEqual(LIMIT);
  },
);

test("messages have room for a batch id of 100,000 characters, as they are far below the default limit", async () => {
  const names = Array.from({ length: 1200 }, () => "x".repeat(1000));
  await run(100_000, names, {}, {});
  expect(sizes().length).toBeGreaterThan(1);
  expect(Math.max(...sizes())).toBeLessThan(1.2 * 1024 * 1024);
});

test("sends a record that just fits with the id of its batch", async () => {
  await run(1, ["x".repeat(970)]);
  const [bytes = 0] = sizes();
  const more = LIMIT - bytes;
  harness.server.streams.length = 0;
  await run(1 + more, ["x".repeat(970)]);
  expect(sizes()).toEqual([LIMIT]);
  harness.server.streams.length = 0;
  expect(await rejection(run(2 + more, ["x".repeat(970)]))).toMatchObject({ code: "INVALID_INPUT" });
  expect(sizes()).toEqual([]);
});

test.each([130, 400, 5000])(
  "a run with a batch id of %d characters says what is too large before anything is sent",
  async (length) => {
    const error = await rejection(
      run(
        length,
        Array.from({ length: 100 }, () => "x".repeat(50 + (length % 7))),
      ),
    );
    expect(error).toMatchObject({ code: "INVALID_INPUT" });
    expect(String(error)).toMatch(/A message of accounts has \d+ bytes with the id of its batch/);
    expect(sizes()).toEqual([]);
    expect(harness.server.calls).toEqual(["AbortSyncBatch"]);
  },
);
