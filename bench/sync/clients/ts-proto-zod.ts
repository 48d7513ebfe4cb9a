/** By hand, with every record checked by a zod schema. */
import { z } from "zod";
import type { SyncPeer, SyncTask } from "../task.js";
import { connectByHand } from "./by-hand.js";
import { detailSchemas } from "./schemas.js";
import { preparer, toMap, toTimestamp } from "./ts-proto-models.js";

const details = detailSchemas(
  z.date().transform(toTimestamp),
  z.record(z.string(), z.string()).transform(toMap),
);

const accounts = inVariant(details.accounts);
const licenses = inVariant(details.licenses);
const usage = inVariant(details.usage);
const employees = inVariant(details.employees);

export function connect(task: SyncTask): Promise<SyncPeer> {
  return connectByHand(
    task,
    preparer({
      accounts: (record) => accounts.parse(record),
      licenses: (record) => licenses.parse(record),
      usage: (record) => usage.parse(record),
      employees: (record) => employees.parse(record),
    }),
  );
}

function inVariant<Schema extends z.ZodType>(value: Schema) {
  return z.object({ variant: z.object({ $case: z.literal("generic"), value }) });
}
