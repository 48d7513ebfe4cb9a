import type { CollectionName, SnapshotCollection } from "../collections.js";
import { stringInVariant } from "../encoding/record-id.js";
import type { RecordTypes } from "../generated/records.js";

/** A field that holds the id of a record of one of these collections. */
export interface RecordReference {
  readonly field: string;
  readonly to: readonly SnapshotCollection[];
}

/** Names of the fields of any variant of a record. */
type FieldOf<Record> = Record extends unknown
  ? { [Variant in keyof Record]: keyof NonNullable<Record[Variant]> }[keyof Record]
  : never;

const ACTOR = { field: "sourceActorId", to: ["accounts", "employees"] } as const;

/** The fields that refer to other records: see the comments of the fields in the `.proto`. */
const REFERENCES = {
  licenses: [
    { field: "sourceAccountId", to: ["accounts"] },
    { field: "sourcePlanId", to: ["plans"] },
  ],
  employees: [{ field: "managerId", to: ["employees"] }],
  groupMembers: [
    { field: "sourceGroupId", to: ["groups"] },
    { field: "sourceMemberId", to: ["accounts", "employees"] },
  ],
  devices: [{ field: "sourceOwnerId", to: ["accounts", "employees"] }],
  usage: [ACTOR, { field: "sourcePlanId", to: ["plans"] }],
  externallyDiscoveredUsage: [ACTOR],
  auditLogs: [ACTOR],
  aiUsage: [ACTOR],
  aiCost: [ACTOR],
} as const satisfies {
  readonly [C in CollectionName]?: readonly (RecordReference & {
    readonly field: FieldOf<RecordTypes[C]>;
  })[];
};

const BY_NAME: Partial<Record<CollectionName, readonly RecordReference[]>> = REFERENCES;

/** The fields of a collection's records that refer to other records. */
export function referencesOf(collection: CollectionName): readonly RecordReference[] {
  return BY_NAME[collection] ?? [];
}

/** Every collection that something refers to. */
export const REFERRED_TO: ReadonlySet<SnapshotCollection> = new Set(
  Object.values(REFERENCES).flatMap((references) => references.flatMap(({ to }) => to)),
);

/** The id that a field of a record refers to; undefined where it refers to none. */
export function referenceIn(record: unknown, field: string): string | undefined {
  return stringInVariant(record, field) || undefined;
}
