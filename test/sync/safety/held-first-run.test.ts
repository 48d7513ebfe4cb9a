/** A held first run leaves nothing that a later run could mistake for a baseline, and explains why it was held. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger, storeLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { connectorOf } from "../../support/connector.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

/** What the ledger has right after this call: a process killed at that moment would leave the same behind. */
async function leftBehind(
  call: Parameters<typeof isPutOf>[0],
  run: (ledger: ReturnType<typeof storeLedger>) => Promise<unknown>,
): Promise<string> {
  const [directory, copy] = [join(service.directory, "another"), join(service.directory, "left")];
  const store = watchedStore(new FileStore(directory), async (made, go) => {
    const answer = await go();
    if (isPutOf(call)(made)) await cp(directory, copy, { recursive: true });
    return answer;
  });
  await run(storeLedger(store)).catch(() => {});
  return copy;
}

test("is held again if the process was killed after offering an approval", async () => {
  await service.runAccounts(ids(100));
  const held = { firstRun: false };
  const left = await leftBehind("removals.txt", (ledger) =>
    service.runAccounts(ids(10), { ...held, ledger }),
  );
  const { reasons } = await heldBy(service.runAccounts(ids(10), { ...held, ledger: fileLedger(left) }));
  expect(reasons).toMatchObject([{ rule: "no-baseline", baseline: "none", sent: 10 }]);
  expect(service.present()).toHaveLength(100);
});

test("is held after an events-only run, if a process was killed before it completed the first snapshot", async () => {
  const left = await leftBehind("ids", async (ledger) => {
    await service.run([], (batch) => batch.write("usage", []), { ledger });
    await service.runAccounts(ids(10), { firstRun: true, ledger });
  });
  const run = service.runAccounts(ids(10), { firstRun: false, ledger: fileLedger(left) });
  expect((await heldBy(run)).reasons).toMatchObject([{ rule: "no-baseline", baseline: "unclear" }]);
});

test("is also explained by a preview", async () => {
  const ledger = fileLedger(service.directory);
  const { installationId } = service;
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(1)));
  const preview = await service.sync.preview(connector, { installationId, ledger });
  const advice = `If it is the first run of installation "${installationId}" with the ledger ${service.directory}, run it once with firstRun: true (--first-run).`;
  expect(`${preview}`).toContain("A run would be held: the ledger has no earlier run.");
  expect(`${preview}`).toContain(advice);
  const error = await service
    .runAccounts(ids(1), { firstRun: false, ledger })
    .catch((caught: unknown) => caught);
  expect(`${error}`).toContain(
    "Held: the ledger has no earlier run. Nothing was sent. accounts: there is no",
  );
  expect(`${error}`).toContain(advice);
});

test("is sent if it has the expected number of records, and is otherwise refused, even by a preview", async () => {
  const { installationId } = service;
  const ledger = fileLedger(service.directory);
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(40)));
  for (const firstRun of [{ accounts: 41 }, { accounts: 40, plans: 1 }, { accounts: 0 }]) {
    const options = { installationId, ledger, firstRun };
    const refused = {
      code: "INVALID_INPUT",
      message: expect.stringMatching(/^firstRun expects [\d]+ records/),
    };
    await expect(service.syncClient().preview(connector, options)).rejects.toMatchObject(refused);
    await expect(service.syncClient().run(connector, options)).rejects.toMatchObject(refused);
  }
  expect(service.states()).toEqual([]);
  await service.syncClient().run(connector, { installationId, ledger, firstRun: { accounts: 40 } });
  const again = service.syncClient().run(connector, { installationId, ledger, firstRun: { accounts: 40 } });
  await expect(again).rejects.toMatchObject({ message: expect.stringContaining("has earlier runs") });
  expect(service.present()).toHaveLength(40);
});

test.each([{ account: 40 }, { usage: 1 }, { accounts: "40" }, { accounts: 1.5 }, [40], 40, "yes"])(
  "cannot be expected as %j",
  async (firstRun) => {
    const options: object = { firstRun };
    const run = service.runAccounts(ids(1), options);
    await expect(run).rejects.toMatchObject({ code: "INVALID_INPUT" });
  },
);

test("says what to do if the service had an earlier job's records", async () => {
  const batch = await service.startBatch();
  await batch.write("accounts", accounts(100));
  await batch.complete();
  const receipt = await service.runAccounts(ids(40), { firstRun: true });
  expect(receipt.surprises).toEqual([
    expect.stringMatching(
      /removed 60 records of accounts.*an earlier job.*run again at once with all records/,
    ),
  ]);
});
