/**
 * The fields of the contract that connectors fill, with the values that they take. All shares are plain estimates; each
 * installation varies them. A field with a share of 1 is required: it can be wrong, but not empty.
 */

/**
 * What the values of a field are like: `text` and `reference` are different in each record; a `parent` is the id of a
 * plan or group; `counter` changes in most runs.
 */
export type Kind = "text" | "reference" | "choice" | "boolean" | "parent" | "number" | "counter" | "time";

export interface FieldModel {
  /** The field's path in a record of the SDK. */
  readonly path: string;
  readonly kind: Kind;
  /** The share of the records that have the field. */
  readonly fill: number;
  /** How often each value of a choice occurs, or how often a boolean is true. */
  readonly weights: readonly number[];
}

function field(path: string, kind: Kind, fill: number, weights: readonly number[] = [1]): FieldModel {
  return { path, kind, fill, weights };
}

/** The collections of the model. Only `sample.ts` and `guard.ts` need a contract with these fields. */
export type Modelled = keyof typeof FIELDS;

export const FIELDS = {
  employees: [
    field("fullName", "text", 1),
    field("email", "text", 0.99),
    field("active", "boolean", 0.999, [0.96]),
    field("departmentPath", "choice", 0.95, zipf(12, 0.7)),
    field("costCenter", "choice", 0.8, zipf(20, 0.7)),
    field("managerId", "choice", 0.93),
    field("country", "choice", 0.9, zipf(8, 1.2)),
    field("userType", "choice", 0.8, [0.8, 0.15, 0.05]),
    field("jobTitle", "choice", 0.7, zipf(40, 0.8)),
    field("hasMailbox", "boolean", 0.5, [0.9]),
    field("creationTime", "time", 0.8),
    field("attributes", "text", 0.3),
  ],
  accounts: [
    field("name", "text", 0.98),
    field("email", "text", 0.97),
    field("active", "boolean", 0.999, [0.9]),
    field("type", "choice", 0.99, [0.75, 0.1, 0.15]),
    field("roles", "choice", 0.6, [0.8, 0.1, 0.05, 0.03, 0.02]),
    field("username", "text", 0.5),
    field("details.microsoft.teams.hasTeams", "boolean", 0.25, [0.8]),
  ],
  licenses: [
    field("sourceAccountId", "reference", 1),
    field("sourcePlanId", "parent", 1),
    field("billable", "boolean", 1, [0.85]),
    field("externalProductId", "choice", 0.5, zipf(3, 0)),
  ],
  plans: [
    field("externalPlanName", "text", 1),
    field("externalProductName", "choice", 0.7, zipf(3, 0)),
    field("details.model", "choice", 1),
    field("details.seatBased.paidSeats", "number", 0.8, zipf(60, 0.5)),
    field("details.seatBased.consumedSeats", "counter", 0.8),
  ],
  groups: [field("name", "text", 1), field("description", "text", 0.5), field("email", "text", 0.4)],
  groupMembers: [
    field("sourceGroupId", "parent", 1),
    field("sourceMemberId", "reference", 1),
    field("role", "choice", 0.9, [0.9, 0.1]),
  ],
  devices: [
    field("name", "text", 0.95),
    field("serialNumber", "text", 0.97),
    field("manufacturer", "choice", 0.9, zipf(4, 0.8)),
    field("model", "choice", 0.95, zipf(9, 0)),
    field("operatingSystem", "choice", 0.98, zipf(5, 0)),
    field("operatingSystemVersion", "choice", 0.95, zipf(12, 1)),
    field("sourceOwnerId", "reference", 0.8),
    field("lastSeen", "counter", 0.9),
  ],
} satisfies Readonly<Record<string, readonly FieldModel[]>>;

/** Weights of this many values, the most frequent first. */
export function zipf(count: number, exponent: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, i) => (i + 1) ** -exponent);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}
