/** The client written by hand; a zod schema checks every record. */
import { z } from "zod";
import type { SyncPeer, SyncTask } from "../task.js";
import { connectByHand } from "./by-hand.js";
import { detailSchemas } from "./schemas.js";
import { preparer, toMap, toTimestamp } from "./ts-proto-models.js";

const details = detailSchemas(
  z.date().transform(toTimestamp),
  z.record(z.string(), z.string()).transform(toMap),
);

/** @param inHurry Whether misspelled keys are dropped instead of refused. */
function prepare(inHurry: boolean) {
  const accounts = inVariant(inHurry ? details.accounts.strip() : details.accounts);
  const licenses = inVariant(inHurry ? details.licenses.strip() : details.licenses);
  const usage = inVariant(inHurry ? details.usage.strip() : details.usage);
  const employees = inVariant(inHurry ? details.employees.strip() : details.employees);
  return preparer({
    accounts: (record) => accounts.parse(record),
    licenses: (record) => licenses.parse(record),
    usage: (record) => usage.parse(record),
    employees: (record) => employees.parse(record),
  });
}

export function connect(task: SyncTask): Promise<SyncPeer> {
  return connectByHand(task, prepare(false));
}

/** What a user in a hurry writes: messages of 1,000 records, whatever their size. */
export function connectInHurry(task: SyncTask): Promise<SyncPeer> {
  return connectByHand({ ...task, recordsPerMessage: 1000 }, prepare(true));
}

function inVariant<Schema extends z.ZodType>(value: Schema) {
  return z.object({ variant: z.object({ $case: z.literal("generic"), value }) });
}
