import type { Collection, EventCollection } from "../collections.js";
import type { Ledger } from "../ledger/ledger.js";

/** The partitions of each collection of a run. Together they are the whole of the collection. */
export type Plan = { readonly [C in Collection]?: readonly string[] };

/** Options of {@link SyncClient.stage}. */
export interface PlanOptions<P extends Plan = Plan> {
  /** Names the run, in 1 to 1,000 characters: all who open it get the same plan. */
  readonly runKey: string;
  /** Version of the connector, in 1 to 1,000 characters: partitions of different versions are never mixed. */
  readonly version: string;
  readonly partitions: P;
  /** @default the client's `sync.installationId` */
  readonly installationId?: string | undefined;
  /** @default the client's `sync.ledger` */
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
}
