/** Whether the server ended up with what the model has. */
import { isDeepStrictEqual } from "node:util";
import type { Inspection } from "@saas-management/sdk/testing";
import type { Installation } from "../../../src/reference-server/sync/state.js";
import { COLLECTIONS, isSnapshot, type SimCollection } from "../messages.js";
import type { ModelBatch, ServiceModel } from "../service-model.js";

/** What the server holds and the model does not, or the other way round; none is what is wanted. */
export function differences(
  model: ServiceModel,
  server: Inspection,
  installation: Installation | undefined,
  now: number,
): string[] {
  const newest = model.batches.at(-1);
  const holder = newest !== undefined && model.stateOf(newest.id, now) === "active" ? newest : undefined;
  return [
    ...different("the lock", server.lock?.batchId, holder?.id),
    ...different("the lease", server.lock?.expiresAt.getTime(), holder && Math.floor(holder.leaseEndsAt)),
    ...different(
      "the batches",
      installation?.batches.map((batch) => ({
        id: batch.id,
        state: batch.stateAt(now),
        accepted: Object.fromEntries(Array.from(batch.counts, ([name, counts]) => [name, counts.accepted])),
      })),
      model.batches.map((batch) => ({
        id: batch.id,
        state: model.stateOf(batch.id, now),
        accepted: acceptedOf(batch),
      })),
    ),
    ...COLLECTIONS.flatMap((collection) =>
      different(collection, heldByServer(server, collection), heldByModel(model, collection)),
    ),
  ];
}

function different(what: string, server: unknown, model: unknown): string[] {
  if (isDeepStrictEqual(server, model)) return [];
  return [`${what}: the server has ${JSON.stringify(server)}, the model ${JSON.stringify(model)}`];
}

function acceptedOf({ applied }: ModelBatch): Record<string, number> {
  const accepted: Record<string, number> = {};
  for (const { collection, keys } of applied)
    accepted[collection] = (accepted[collection] ?? 0) + keys.length;
  return accepted;
}

/** Ids with marks and labels, or, for events, the number of times that each is there. */
type Held = Readonly<Record<string, string | number>>;

function heldByModel(model: ServiceModel, collection: SimCollection): Held {
  if (!isSnapshot(collection)) return Object.fromEntries(model.events.get(collection) ?? []);
  const rows = [...(model.snapshots.get(collection) ?? [])];
  return Object.fromEntries(rows.map(([id, { label, removed }]) => [id, mark(label, removed)]));
}

function heldByServer({ snapshots }: Inspection, collection: SimCollection): Held {
  switch (collection) {
    case "accounts":
    case "licenses":
      return Object.fromEntries(
        snapshots[collection].map(({ id, removed, record }) => [id, mark(labelOf(record), removed)]),
      );
    case "usage":
      return counted(snapshots.usage.map(({ id }) => id));
    case "externallyDiscoveredUsage":
      return counted(snapshots.externallyDiscoveredUsage.map(({ record }) => record.sourceActorId));
  }
}

function mark(label: string, removed: boolean): string {
  return removed ? `${label}, removed` : label;
}

function counted(keys: readonly string[]): Held {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** The label stands in the field that the simulation has for it. */
function labelOf(record: object): string {
  const text = field(record, "name") + field(record, "externalProductId");
  return text.split(" ")[0] ?? "";
}

function field(record: object, name: string): string {
  const value: unknown = Reflect.get(record, name);
  return typeof value === "string" ? value : "";
}
