/** What we know about the service's contract beyond its own files: see `docs/contract.md`. */

/** How the service processes a collection. */
export type DataModel = "snapshot" | "event";

/** The SDK's names, written as in a `.proto`: `full_name` rather than `fullName`. */
export interface Rules {
  /** The SDK doesn't write a collection that is "left out". */
  readonly collections: Readonly<Record<string, DataModel | "left out">>;
  readonly messages: Readonly<Record<string, MessageRules>>;
}

export interface MessageRules {
  /** The service description doesn't show this model. */
  readonly assumed?: true;
  /** At least one of these groups of fields must be complete, and no group may be half-filled. */
  readonly completeGroups?: readonly (readonly string[])[];
  readonly fields?: Readonly<Record<string, FieldRules>>;
}

export interface FieldRules {
  /** Omits the field from records. A field that code generation refuses may have only this rule. */
  readonly leftOut?: true;
  /** The field identifies the record within its collection. */
  readonly id?: true;
  /** The field must be present; a string must not be empty. */
  readonly required?: true;
  /** The field must be present when a sibling enum has this value. */
  readonly requiredWhen?: { readonly field: string; readonly value: string };
  /** `decimal` is a number such as `-12.50`, `currency` an ISO 4217 code. */
  readonly format?: "decimal" | "currency";
  /** Collections in which a preview looks for the record with this id. */
  readonly refersTo?: readonly string[];
  /** What the reference server's GraphQL API shows the field as. */
  readonly shownAs?: ShownPart;
  /** The field changes on its own, like a version or a counter; times don't need this rule. */
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

/** What each part of the contract is for, under the contract's names; a path leads through messages. */
export interface Mapping {
  /** True if we wrote the contract from the service's description. Otherwise, its tests are skipped. */
  readonly assumed?: true;
  /** Full name of the service. */
  readonly service: string;
  readonly methods: Readonly<Record<"start" | "sync" | "complete" | "abort", string>>;
  readonly start: { readonly installationId: string; readonly batchId: string };
  readonly sync: {
    readonly batchId: string;
    /** The count in the answer; omit it if the contract has none. */
    readonly accepted?: string;
  };
  readonly complete: {
    readonly batchId: string;
    /** The lists of counts in the answer; omit them if the contract has none. */
    readonly snapshots?: Readonly<Record<"list" | "collection" | "added" | "updated" | "removed", string>>;
    readonly events?: Readonly<Record<"list" | "collection" | "accepted", string>>;
  };
  readonly abort: { readonly batchId: string };
  /** Key of the batch's state in the trailing metadata. */
  readonly batchState: string;
  /**
   * The SDK's names for messages, fields, enums and values whose names in the contract differ, such as
   * `"Person.display_name": "full_name"`. The contract's names are without the package.
   */
  readonly names: Readonly<Record<string, string>>;
}

/** How JSON represents a scalar. `date` is a string `YYYY-MM-DD`, for which filters also take a `Date`. */
export type ScalarKind = "string" | "number" | "boolean" | "date";

export interface GraphQLOverlay {
  /** As in `Mapping`. */
  readonly assumed?: true;
  /** Public names of types, by their names in the schema. Other inputs aren't exported; other enums are spelled out. */
  readonly types: Readonly<Record<string, string>>;
  readonly scalars: Readonly<Record<string, ScalarKind>>;
}
