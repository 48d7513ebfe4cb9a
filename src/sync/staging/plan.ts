import { ConfigurationError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { Collection, EventCollection } from "../collections.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Owner } from "../ledger/owner.js";
import type { Store } from "../ledger/store.js";
import { readJson } from "./values.js";

/** The partitions of each collection of a run. Together they are the whole of the collection. */
export type Plan = { readonly [C in Collection]?: readonly string[] };

/** Options of {@link SyncClient.stage}. */
export interface PlanOptions<P extends Plan = Plan> {
  /** Names the run, in 1 to 1,000 characters: all who open it get the same plan. */
  readonly runKey: string;
  /** Version of the connector, in 1 to 1,000 characters: partitions of different versions are never mixed. */
  readonly version: string;
  /** The partitions of each collection, each with a name of 1 to 1,000 characters. A partition may have no records. */
  readonly partitions: P;
  /** Id of the direct integration installation. @default the client's `sync.installationId` */
  readonly installationId?: string | undefined;
  /** The ledger with which the run is judged. @default the client's `sync.ledger` */
  readonly ledger?: Ledger | "none" | undefined;
}

/** A plan as it is stored. */
export interface StoredPlan {
  /** 128 random bits in hexadecimal digits; also the token of the run in the ledger's keys. */
  readonly id: string;
  readonly runKey: string;
  /** Origin of the Sync API's endpoint. */
  readonly endpoint: string;
  readonly installationId: string;
  readonly version: string;
  /** Null if the run of a connector wrote it: its collections are known when it is sealed. */
  readonly partitions: Plan | null;
  /** Tokens of the runs that were completed, pending or wholly sealed before this one read anything. */
  readonly after: readonly string[];
  readonly watermarks: Partial<Record<EventCollection, string>>;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  /** The process that extracts it, if the run of a connector opened it. */
  readonly owner: Owner | null;
}

/** Reads a plan, if it is there. @throws {ConfigurationError} it is damaged */
export async function readPlan(store: Store, key: string): Promise<StoredPlan | undefined> {
  const value = await readJson(store, key);
  if (value === undefined || isPlan(value)) return value;
  throw new ConfigurationError(`${key} of the staging is damaged. Choose another runKey.`);
}

function isPlan(value: unknown): value is StoredPlan {
  if (!isObject(value)) return false;
  const plan: Partial<Record<keyof StoredPlan, unknown>> = value;
  const { id, runKey, endpoint, installationId, version, partitions, after, watermarks, openedAt } = plan;
  return (
    [id, runKey, endpoint, installationId, version].every((part) => typeof part === "string") &&
    (partitions === null || isObject(partitions)) &&
    Array.isArray(after) &&
    isObject(watermarks) &&
    typeof openedAt === "number"
  );
}
