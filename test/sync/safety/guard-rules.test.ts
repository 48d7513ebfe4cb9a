/** The rules that need a history, over the wire: what an earlier run sent holds a later one. */
import type { GuardOptions, RecordOf } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { heldBy, ids, testService } from "../../support/test-service.js";

type Account = RecordOf<"accounts">;

const service = testService();

const people = (count: number, more: (i: number) => Partial<Account> = () => ({})): Account[] =>
  ids(count).map((id, i) => ({ id, name: `name ${i}`, email: `${id}@example.com`, ...more(i) }));

function send(records: readonly Account[], options: { guard?: GuardOptions; approve?: string } = {}) {
  return service.run(["accounts"], async (batch) => void (await batch.write("accounts", records)), options);
}

/** The rules of a held run, and the approval that it offers. */
async function held(records: readonly Account[], guard?: GuardOptions) {
  const { reasons, approvalId } = await heldBy(send(records, { ...(guard && { guard }) }));
  const rules = reasons.map(({ rule, fields }) => [rule, ...(fields ?? [])]);
  return { rules, ...(approvalId !== undefined && { approve: approvalId }) };
}

test("window: holds what shrinks below the threshold in each run", async () => {
  await send(people(40));
  await send(people(31));
  const { rules, ...approval } = await held(people(24));
  expect(rules).toEqual([["window"]]);
  await send(people(24), approval);
  // What was approved is the base of the runs that follow.
  await send(people(20));
});

test("changed: holds records whose address is missing, until it is approved", async () => {
  await send(people(30));
  const without = people(30).map(({ id, name = "" }) => ({ id, name }));
  const { rules, ...approval } = await held(without);
  expect(rules).toEqual([["changed", "email"]]);
  await send(without, approval);
  await send(without);
});

test("changed: remembers what runs had that were completed with the guard off", async () => {
  await send(people(30), { guard: { offUntil: "2999-01-01" } });
  const { rules } = await held(people(30, () => ({ email: "" })));
  expect(rules).toEqual([["changed", "email"]]);
});

test("changed: sees a field that loses a fifth of its values in each run", async () => {
  await send(people(50));
  await send(people(50, (i) => (i < 10 ? { email: "" } : {})));
  await send(people(50, (i) => (i < 18 ? { email: "" } : {})));
  const { rules } = await held(people(50, (i) => (i < 26 ? { email: "" } : {})));
  expect(rules).toEqual([["changed", "email"]]);
});

test("changed: holds a boolean that is otherwise than ever before", async () => {
  const active = (share: number) => people(40, (i) => ({ active: i < share }));
  await send(active(38));
  const { rules, ...approval } = await held(active(0));
  expect(rules).toEqual([["changed", "active"]]);
  await send(active(0), approval);
  // Both states are known now.
  await send(active(38));
});

test("added: holds a flood beside the known records", async () => {
  await send(people(40));
  expect((await held(people(91))).rules).toEqual([["added"]]);
  await send(people(90));
});

test("changed: holds other people under the known ids", async () => {
  await send(people(40));
  const others = people(40, (i) => ({ name: `other ${i}`, email: `o${i}@example.com` }));
  const { rules, ...approval } = await held(others);
  expect(rules).toEqual([["changed", "name", "email"]]);
  await send(others, approval);
  // A new domain is not a new person.
  await send(people(40, (i) => ({ name: `other ${i}`, email: `o${i}@example.org` })));
});
