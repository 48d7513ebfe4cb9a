/** What we know about the service's contract beyond its own files: see `docs/contract.md`. */

/** How the service processes a collection. */
export type DataModel = "snapshot" | "event";

/** Names are those of the SDK, written as in a `.proto`: `full_name`, and not `fullName`. */
export interface Rules {
  /** The SDK doesn't write a collection that is "left out". */
  readonly collections: Readonly<Record<string, DataModel | "left out">>;
  readonly messages: Readonly<Record<string, MessageRules>>;
}

export interface MessageRules {
  /** The service description doesn't show this model. */
  readonly assumed?: true;
  /** At least one of these groups of fields must be complete, and none may be half-filled. */
  readonly completeGroups?: readonly (readonly string[])[];
  readonly fields?: Readonly<Record<string, FieldRules>>;
}

export interface FieldRules {
  /** Leaves the field out of records. A field that code generation refuses can have no other rule. */
  readonly leftOut?: true;
  /** The field identifies the record within its collection. */
  readonly id?: true;
  /** The field must be present; a string must not be empty. */
  readonly required?: true;
  /** The field must be present when a sibling enum has this value. */
  readonly requiredWhen?: { readonly field: string; readonly value: string };
  /** `decimal` is a number such as `-12.50`, `currency` an ISO 4217 code. */
  readonly format?: "decimal" | "currency";
  /** Collections that may contain the record with this id; previews and the guard look for the record there. */
  readonly refersTo?: readonly string[];
  /** The part that the field plays in the reference server's GraphQL API. */
  readonly shownAs?: ShownPart;
  /** The field changes on its own, like a version or a counter. Times and maps don't need this rule. */
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

/**
 * What each part of the contract is for. Names are those of the contract; a path such as `header.batch_id` leads into a
 * message.
 */
export interface Mapping {
  /** We made the contract from the service's description. Without this flag, tests of that contract are skipped. */
  readonly assumed?: true;
  /** Full name of the service. */
  readonly service: string;
  readonly methods: Readonly<Record<"start" | "sync" | "complete" | "abort", string>>;
  readonly start: { readonly installationId: string; readonly batchId: string };
  readonly sync: {
    readonly batchId: string;
    /** The count in the answer; leave it out if the contract has no count. */
    readonly accepted?: string;
  };
  readonly complete: {
    readonly batchId: string;
    /** The lists of counts in the answer; leave them out if the contract has no counts. */
    readonly snapshots?: Readonly<Record<"list" | "collection" | "added" | "updated" | "removed", string>>;
    readonly events?: Readonly<Record<"list" | "collection" | "accepted", string>>;
  };
  readonly abort: { readonly batchId: string };
  /** Key of the trailing metadata with the state of a batch. */
  readonly batchState: string;
  /**
   * The SDK's names of messages, fields, enums and values, by their names in the contract without the package, such as
   * `"Person.display_name": "full_name"`. All other parts keep their names.
   */
  readonly names: Readonly<Record<string, string>>;
}

/** How JSON represents a scalar. `date` is a string `YYYY-MM-DD`. */
export type ScalarKind = "string" | "number" | "boolean" | "date";

export interface GraphQLOverlay {
  /** As in `Mapping`. */
  readonly assumed?: true;
  /** Public names, by name in the schema. Without one, an input isn't exported, and an enum is inlined. */
  readonly types: Readonly<Record<string, string>>;
  readonly scalars: Readonly<Record<string, ScalarKind>>;
}
