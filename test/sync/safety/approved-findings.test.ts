/** What an approval of other things than removals covers, and how often. */
import type { RecordOf, RunOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { editFile, resealed } from "../../support/ledger-values.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

function people(count: number, more: Partial<RecordOf<"accounts">> = {}): RecordOf<"accounts">[] {
  return ids(count).map((id) => ({
    id,
    name: `name ${id}`,
    email: `${id}@example.com`,
    username: id,
    active: true,
    ...more,
  }));
}

function send(records: readonly RecordOf<"accounts">[], options: Partial<RunOptions> = {}) {
  return service.run(["accounts"], (batch) => batch.write("accounts", records), options);
}

test("covers the changed fields that were shown, and no others", async () => {
  await send(people(40));
  const { approvalId, reasons } = await heldBy(send(people(40, { email: "" })));
  expect(reasons).toMatchObject([{ rule: "changed", fields: ["email"] }]);
  const more = await heldBy(send(people(40, { email: "", username: "" }), { approve: approvalId }));
  expect(more.message).toContain("it was requested for other fields than username");
  const again = await heldBy(send(people(40, { email: "" })));
  const flipped = send(people(40, { email: "", active: false }), { approve: again.approvalId });
  expect((await heldBy(flipped)).message).toContain("it was requested for other fields than active");
  const { approvalId: both } = await heldBy(send(people(40, { email: "", username: "" })));
  // One of two fields is less than was shown.
  await send(people(40, { username: "" }), { approve: both });
  await heldBy(send(people(40, { email: "" }), { approve: both }));
});

test("does not cover fields that have emptied further since", async () => {
  const partly = (empty: number) =>
    people(40).map((one, i) => ({ ...one, email: i < empty ? "" : one.email }));
  await send(people(40));
  const { approvalId: approve } = await heldBy(send(partly(14)));
  const worse = await heldBy(send(partly(40), { approve }));
  expect(worse.message).toContain("the records differ more than those of the approved run");
  const { approvalId } = await heldBy(send(partly(14)));
  await send(partly(15), { approve: approvalId });
});

test("covers nothing if the file was changed that says what it covers", async () => {
  await send(people(40));
  const { approvalId: approve } = await heldBy(send(people(100)));
  const path = await service.file(/removals\.txt$/);
  await editFile(path, (text) => resealed(text.replace('"rule":"added"', '"rule":"removed"')));
  const error = await heldBy(send(people(20), { approve }));
  expect(error.message).toContain("the list was changed after it was offered");
});

test("does not cover removals beside other findings", async () => {
  await send(people(40));
  const { approvalId: approve } = await heldBy(send(people(40, { email: "" })));
  const fewer = await heldBy(send(people(20, { email: "" }), { approve }));
  expect(fewer.message).toContain("approve does not cover accounts: it was requested for another reason.");
});

test.each([
  ["lost values", "changed", () => people(40, { email: "" })],
  ["a boolean", "changed", () => people(40, { active: false })],
  ["other people", "changed", () => people(40).map((one) => ({ ...one, name: `n ${one.id}` }))],
  ["new ids", "added", () => people(100)],
] as const)(
  "of %s keeps its id if the run is held again for the same, and is used once",
  async (_, rule, records) => {
    await send(people(40));
    const first = await heldBy(send(records()));
    expect(first.reasons.map((reason) => reason.rule)).toEqual([rule]);
    expect((await heldBy(send(records()))).approvalId).toBe(first.approvalId);
    const receipt = await send(records(), { approve: first.approvalId });
    expect(receipt.collections.accounts?.approved).toEqual([rule]);
    expect(`${receipt}`).toContain(`; approved: ${rule}`);
    // It may stay in the configuration, and covers nothing any more.
    await send(records(), { approve: first.approvalId });
    const next = await heldBy(send(people(5, { username: "" }), { approve: first.approvalId }));
    expect(next.message).toContain("no approval is pending");
  },
);

function both(users: readonly RecordOf<"accounts">[], devices: number, approve?: string) {
  return service.run(
    ["accounts", "groups"],
    async (batch) => {
      await batch.write("accounts", users);
      await batch.write("groups", accounts(devices));
    },
    { approve },
  );
}

test("is replaced by one that covers another collection too, which is held later", async () => {
  await both(people(40), 40);
  const short = () => people(40, { email: "" });
  const first = await heldBy(both(short(), 40));
  expect(first.reasons.map(({ collection }) => collection)).toEqual(["accounts"]);
  const second = await heldBy(both(short(), 10, first.approvalId));
  expect(second.reasons.map(({ collection }) => collection)).toEqual(["groups"]);
  expect(second.message).toContain("This covers accounts too, which was approved before.");
  // The first id is worth nothing any more, and the second one is offered again.
  const old = await heldBy(both(short(), 10, first.approvalId));
  expect(old.reasons.map(({ collection }) => collection)).toEqual(["accounts", "groups"]);
  expect(old.approvalId).toBe(second.approvalId);
  await both(short(), 10, old.approvalId);
  expect((await heldBy(both(short(), 2, old.approvalId))).message).toContain("no approval is pending");
});

test("is used up by a run in which another collection did not need it", async () => {
  await both(people(40), 40);
  const { approvalId: approve } = await heldBy(both(people(40, { email: "" }), 10));
  await both(people(40, { email: "" }), 40, approve);
  const groups = await heldBy(both(people(40, { email: "" }), 10, approve));
  expect(groups.message).toContain("approve does not cover groups: no approval is pending");
});

test("of another installation covers nothing", async () => {
  await send(people(40));
  const installationId = service.server.createInstallation();
  await send(people(40), { installationId, firstRun: true });
  const { approvalId: approve } = await heldBy(send(people(40, { email: "" })));
  await heldBy(send(people(40, { email: "" }), { installationId, approve }));
  await send(people(40, { email: "" }), { approve });
});
