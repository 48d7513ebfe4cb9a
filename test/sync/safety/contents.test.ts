import { writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import { type RunOptions, SaasManagementError } from "@saas-management/sdk";
import { fromJsonl } from "@saas-management/sdk/sources";
import { beforeEach, expect, test } from "vitest";
import type { RunFunction } from "../../support/connector.js";
import { ids, testService } from "../../support/test-service.js";

const CONTENTS = "Ada-Lovelace-of-the-payroll";
const written: unknown[] = [];
const write = (message: string, details?: object) => void written.push(message, details);
const logger = { debug: write, info: write, warn: write, error: write };
const service = testService({ sync: { messageBytes: 300, windowBytes: 600, logger } });
beforeEach(() => {
  written.length = 0;
});

const secret = (list: readonly string[]) =>
  list.map((id) => ({ id, name: CONTENTS, email: `${CONTENTS}@example.com` }));

/** Collects all progress and errors of a run. */
async function runAndListen(fn: RunFunction<"accounts">, options: Partial<RunOptions> = {}): Promise<void> {
  const run = service.run(["accounts"], fn, { onProgress: (progress) => written.push(progress), ...options });
  const outcome: unknown = await run.catch((error: unknown) => error);
  written.push(outcome);
  if (outcome instanceof SaasManagementError) written.push(JSON.stringify(outcome), outcome.stack);
}

const cases: readonly [string, () => Promise<void>][] = [
  [
    "is held",
    async () => {
      await runAndListen(async (batch) => void (await batch.write("accounts", secret(ids(40)))));
      await runAndListen(async (batch) => void (await batch.write("accounts", secret(ids(4)))));
    },
  ],
  [
    "has an id with different contents",
    () =>
      runAndListen(
        async (batch) =>
          void (await batch.write("accounts", [...secret(["u1"]), { id: "u1", name: "another" }])),
      ),
  ],
  [
    "has invalid records",
    async () => {
      const path = `${service.directory}/users.jsonl`;
      const wrong = [
        { id: "u1", active: CONTENTS },
        { id: "u2", [CONTENTS]: 1 },
        { id: "u3", roles: [CONTENTS, 1] },
        { id: "", name: CONTENTS },
      ];
      await writeFile(path, wrong.map((record) => JSON.stringify(record)).join("\n"));
      await runAndListen(async (batch) => void (await batch.write("accounts", fromJsonl(path))));
    },
  ],
  [
    "has a rejected window",
    () => {
      const kind = { fault: "status", status: "INVALID_ARGUMENT" } as const;
      service.server.faults.add({ on: "SyncRecords", nth: 2, ...kind });
      return runAndListen(async (batch) => void (await batch.write("accounts", secret(ids(40)))));
    },
  ],
  [
    "is started again and cannot be aborted",
    () => {
      const kind = { fault: "drop" } as const;
      service.server.faults.add({ on: "SyncRecords", nth: 2, times: 2, ...kind });
      service.server.faults.add({ on: "AbortSyncBatch", times: 2, ...kind });
      return runAndListen(async (batch) => void (await batch.write("accounts", secret(ids(40)))), {
        restarts: 1,
      });
    },
  ],
];

test.each(cases)("a run that %s shows neither contents of records nor the key", async (_, go) => {
  await go();
  const text = written.map((entry) =>
    inspect(entry, { depth: null, showHidden: true, maxStringLength: null }),
  );
  expect(text.length).toBeGreaterThan(1);
  expect(text.filter((line) => line.includes(CONTENTS) || line.includes(service.server.apiKey))).toEqual([]);
});
