import type Big from "big.js";
import type { SyncRecordsRequest } from "../sync/generated/saas_management/sync/v1/sync_service.js";
import { plainCopy } from "./plain-copy.js";
import { type ApplicationState, checkPortfolio, type Portfolio } from "./portfolio.js";

type AnyCollection = NonNullable<SyncRecordsRequest["collection"]>;

/** Name of a collection of the Sync API, in camelCase. */
export type Collection = AnyCollection["$case"];

/** The record of a collection, as it is on the wire. */
export type MessageOf<K extends Collection> = Extract<
  AnyCollection,
  { $case: K }
>["value"]["records"][number];

/** What the GraphQL API sees of an installation. */
export interface SyncedInstallation {
  readonly id: string;
  /** The integration that is installed. */
  readonly integration: { readonly id: string; readonly name: string };
  /**
   * The records of a snapshot collection that are not removed, or all events of an event collection. It is the same
   * list until a reader would see another one, so that what was made of it can be kept for as long.
   */
  records<K extends Collection>(collection: K): readonly MessageOf<K>[];
}

/** A procurement case of a workspace. */
export interface ProcurementCase {
  readonly id: string;
  readonly name: string;
  readonly state: "PRE" | "COMPLETED";
  /** The day, as YYYY-MM-DD. */
  readonly deadline: string | null;
  readonly baselineType: string | null;
  readonly baselinePrice: Big | null;
  /** The first baseline price that the case had: what savings are counted from. */
  readonly firstBaselinePrice: Big | null;
}

/** A workspace: all that a key of it can see or change. */
export class Workspace {
  readonly id: string;
  readonly name: string;
  readonly portfolio: Portfolio;
  /** By id. */
  readonly procurementCases = new Map<string, ProcurementCase>();
  readonly #installations: SyncedInstallation[] = [];
  #vendorStates: ReadonlyMap<string, ApplicationState> = new Map();

  /** @throws TypeError where a value of the portfolio is wrong. */
  constructor(options: {
    readonly id: string;
    readonly name: string;
    readonly portfolio?: Portfolio | undefined;
  }) {
    this.id = options.id;
    this.name = options.name;
    const portfolio = options.portfolio ?? {};
    checkPortfolio(portfolio);
    this.portfolio = plainCopy(portfolio);
  }

  get installations(): readonly SyncedInstallation[] {
    return this.#installations;
  }

  addInstallation(installation: SyncedInstallation): void {
    this.#installations.push(installation);
  }

  /** The state that was set for a vendor, under the vendor's name. The same map until one is set. */
  get vendorStates(): ReadonlyMap<string, ApplicationState> {
    return this.#vendorStates;
  }

  /** Sets the state of vendors, known by their names. */
  setVendorStates(vendorNames: Iterable<string>, state: ApplicationState): void {
    const states = new Map(this.#vendorStates);
    for (const name of vendorNames) states.set(name, state);
    this.#vendorStates = states;
  }
}
