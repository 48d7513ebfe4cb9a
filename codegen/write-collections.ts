import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Mapping } from "../contract/types.js";
import { fingerprint } from "./fingerprint.js";
import type { Collection, Contract, RecordModel } from "./model.js";
import { fieldsAt } from "./roles.js";

/** Writes collections.ts: the facts of each collection. */
export function writeCollections(
  file: GeneratedFile,
  { request, collections }: Contract,
  { sync, complete }: Mapping,
): void {
  const path = sync.batchId.includes(".") ? sync.batchId : "batch_id";
  const numbers = fieldsAt(request, path, "sync.batchId").map(({ number }) => number);
  file.print("/** Field numbers from the request down to the batch id. */");
  file.print(`export const BATCH_ID_PATH: readonly number[] = [${numbers.join(", ")}];`);
  file.print();
  file.print("/** Which answers carry counts of accepted records, or of a completed batch's records. */");
  file.print(
    `export const COUNTS: Readonly<Record<"accepted" | "snapshots" | "events", boolean>> = { accepted: ${sync.accepted !== undefined}, snapshots: ${complete.snapshots !== undefined}, events: ${complete.events !== undefined} };`,
  );
  file.print();
  file.print("/** What the contract says about each collection of SyncRecordsRequest. */");
  file.print("export const WIRE = {");
  for (const collection of collections) {
    const { name, wireName, path, recordsNumber, isFlat, model, idField, record } = collection;
    const facts = `name: "${name}", wireName: "${wireName}", path: [${path.join(", ")}], recordsNumber: ${recordsNumber}, isFlat: ${isFlat}, model: "${model}"`;
    const references = JSON.stringify(referencesOf(record));
    const variants = JSON.stringify(record.variants.map((variant) => variant.name));
    file.print(
      `  ${name}: { ${facts}, idField: ${JSON.stringify(idField)}, variants: ${variants}, references: ${references}, contract: "${fingerprint(collection)}" },`,
    );
  }
  file.print("} as const;");
  const named = (model: Collection["model"]) =>
    collections.flatMap((each) => (each.model === model ? [`"${each.name}"`] : [])).join(" | ") || "never";
  file.print();
  file.print(
    '/** Collections of which a batch contains the complete current set (service description, "Sync API records"). */',
  );
  file.print(`export type SnapshotCollection = ${named("snapshot")};`);
  file.print();
  file.print(
    '/** Collections whose records are independent observations (service description, "Sync API records"). */',
  );
  file.print(`export type EventCollection = ${named("event")};`);
}

/** For each field, in any variant: the collections that the field refers to. */
function referencesOf({ generic, variants }: RecordModel) {
  const fields = [generic, ...variants].flatMap(({ model }) => model.fields);
  return Object.fromEntries(
    fields.flatMap(({ name, refersTo }) => (refersTo.length === 0 ? [] : [[name, refersTo]])),
  );
}
