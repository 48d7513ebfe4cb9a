/**
 * Writes the records of a pool to a file for clients in other languages, and prints how many bytes a record takes in a
 * message.
 *
 * Arguments: `{ kind, text, file }` as JSON.
 */
import { writeFileSync } from "node:fs";
import { SyncRecordsRequest } from "../../../src/sync/generated/contract.js";
import { MODELS } from "../clients/ts-proto.js";
import { TO_COLLECTION } from "../clients/ts-proto-models.js";
import type { TextKind } from "../names.js";
import { type Kind, makePool } from "../records.js";

const { kind, text, file }: { readonly kind: Kind; readonly text: TextKind; readonly file: string } =
  JSON.parse(process.argv[2] ?? "");
console.log(bytesPerRecord(kind));

function bytesPerRecord<K extends Kind>(of: K): number {
  const pool = makePool(of, text);
  writeFileSync(file, JSON.stringify(pool.map(withPlainMoments)));
  const toMessage = MODELS[of];
  const messages = pool.map((value) => toMessage({ variant: { $case: "generic", value } }));
  // With this many records, the size of the message around them doesn't matter.
  const collection = TO_COLLECTION[of](messages);
  return SyncRecordsRequest.encode({ batchId: "", collection }).finish().length / pool.length;
}

function withPlainMoments(details: object): object {
  const entries: [string, unknown][] = Object.entries(details);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Date ? { ms: value.getTime() } : value]),
  );
}
