import { randomBytes } from "node:crypto";
import type Big from "big.js";
import type { SyncRecordsRequest } from "../sync/generated/contract.js";
import type { ApplicationState, Portfolio } from "./portfolio.js";

/** What an API key may do (service description, "Authentication"). */
export interface ApiKey {
  readonly workspace: Workspace;
  readonly scope: "read" | "read-write";
  readonly permissions: readonly "integration:sync"[];
  /** Becomes true as soon as the key is revoked, even during running calls. */
  readonly revoked: boolean;
}

export class ApiKeys {
  readonly #keys = new Map<string, ApiKey & { revoked: boolean }>();

  create(key: Omit<ApiKey, "revoked">, value = `smk_${randomBytes(32).toString("base64url")}`): string {
    this.#keys.set(value, { ...key, revoked: false });
    return value;
  }

  revoke(value = ""): boolean {
    const key = this.#keys.get(value);
    if (key !== undefined) key.revoked = true;
    return key !== undefined;
  }

  find(value = ""): ApiKey | undefined {
    return this.#keys.get(value);
  }

  clear(): void {
    this.#keys.clear();
  }
}

type AnyCollection = NonNullable<SyncRecordsRequest["collection"]>;

/** Name of a collection of the Sync API, in camelCase. */
export type Collection = AnyCollection["$case"];

/** A decoded record of a collection. */
export type MessageOf<K extends Collection> = Extract<
  AnyCollection,
  { $case: K }
>["value"]["records"][number];

/** A decoded record of any collection. */
export interface AnyRecord {
  readonly variant?: { readonly $case: string; readonly value: object } | undefined;
}

/** The part of an installation that the GraphQL API can see. */
export interface SyncedInstallation {
  readonly id: string;
  readonly integration: { readonly id: string; readonly name: string };
  /**
   * The records of a snapshot collection that aren't removed, or all events of an event collection; none if the
   * contract lacks the collection. Returns the same array until the collection changes, so that views know if they're
   * current.
   */
  records(collection: string): readonly AnyRecord[];
}

export interface ProcurementCase {
  readonly id: string;
  readonly name: string;
  readonly state: "PRE" | "COMPLETED";
  /** YYYY-MM-DD */
  readonly deadline: string | null;
  readonly baselineType: string | null;
  readonly baselinePrice: Big | null;
  /** The first baseline price of the case, from which savings are calculated. */
  readonly firstBaselinePrice: Big | null;
}

/** Everything that a key of the workspace can see or change. */
export class Workspace {
  readonly procurementCases = new Map<string, ProcurementCase>();
  readonly installations: SyncedInstallation[] = [];
  /** States that were set for vendors, by vendor name. Setting a state replaces the whole map. */
  vendorStates: ReadonlyMap<string, ApplicationState> = new Map();

  constructor(
    readonly id: string,
    readonly portfolio: Portfolio = {},
  ) {}

  setVendorStates(vendorNames: readonly string[], state: ApplicationState): void {
    this.vendorStates = new Map([...this.vendorStates, ...vendorNames.map((name) => [name, state] as const)]);
  }
}
