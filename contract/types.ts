/** What is known of the service's contract beyond its own files. `docs/contract.md` explains both. */

/** How the service processes a collection. */
export type DataModel = "snapshot" | "event";

/** Names are those of the SDK, written as in a `.proto`: `full_name`, and not `fullName`. */
export interface Rules {
  /** What is left out is not written. */
  readonly collections: Readonly<Record<string, DataModel | "left out">>;
  readonly messages: Readonly<Record<string, MessageRules>>;
}

export interface MessageRules {
  /** The service description does not show this model. */
  readonly assumed?: true;
  /** Groups of fields of which at least one must be complete, and none half-filled. */
  readonly completeGroups?: readonly (readonly string[])[];
  readonly fields?: Readonly<Record<string, FieldRules>>;
}

export interface FieldRules {
  /** Records do not have the field: the only rule for a field that code generation refuses. */
  readonly leftOut?: true;
  /** The field identifies the record within its collection. */
  readonly id?: true;
  /** The field must be present; a string must not be empty. */
  readonly required?: true;
  /** The field must be present when a sibling enum has this value. */
  readonly requiredWhen?: { readonly field: string; readonly value: string };
  /** `decimal` is a number such as `-12.50`, `currency` an ISO 4217 code. */
  readonly format?: "decimal" | "currency";
  /** Collections of which one has the record whose id is in this field: previews look for it. */
  readonly refersTo?: readonly string[];
  /** The part that the field plays in what the reference server's GraphQL API shows of its record. */
  readonly shownAs?: ShownPart;
  /** The field changes without anybody changing it, as a version or a counter does. A time always does. */
  readonly drifts?: true;
}

export type ShownPart =
  | "account"
  | "active"
  | "actor"
  | "billable"
  | "consumedSeats"
  | "email"
  | "name"
  | "paidSeats"
  | "plan"
  | "product"
  | "time"
  | "until"
  | "username";

/** Which parts of the contract play which part. Names are those of the contract; a path goes through messages. */
export interface Mapping {
  /** The contract was made from the service's description. Without it, tests of such a contract are skipped. */
  readonly assumed?: true;
  /** Full name of the service. */
  readonly service: string;
  readonly methods: Readonly<Record<"start" | "sync" | "complete" | "abort", string>>;
  readonly start: { readonly installationId: string; readonly batchId: string };
  readonly sync: {
    readonly batchId: string;
    /** The count in the answer; left out if the contract has none. */
    readonly accepted?: string;
  };
  readonly complete: {
    readonly batchId: string;
    /** The lists of counts in the answer; left out if the contract has none. */
    readonly snapshots?: Readonly<Record<"list" | "collection" | "added" | "updated" | "removed", string>>;
    readonly events?: Readonly<Record<"list" | "collection" | "accepted", string>>;
  };
  readonly abort: { readonly batchId: string };
  /** Key of the trailing metadata that tells the state of a batch. */
  readonly batchState: string;
  /**
   * The SDK's names of messages, fields, enums and values, by their names in the contract without the package, such as
   * `"Person.display_name": "full_name"`. What is not listed keeps its name.
   */
  readonly names: Readonly<Record<string, string>>;
}

/** How JSON holds a scalar. `date` is a string `YYYY-MM-DD`; a filter takes a `Date` for it too. */
export type ScalarKind = "string" | "number" | "boolean" | "date";

export interface GraphQLOverlay {
  /** As in `Mapping`. */
  readonly assumed?: true;
  /** Public names of types, by their names in the schema. Other inputs are not exported; other enums are written out. */
  readonly types: Readonly<Record<string, string>>;
  readonly scalars: Readonly<Record<string, ScalarKind>>;
}
