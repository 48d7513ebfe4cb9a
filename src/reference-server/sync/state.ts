import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import type { Clock } from "../../core/clock.js";
import { WIRE } from "../../sync/generated/collections.js";
import type {
  CompleteSyncBatchResponse,
  EventResult,
  SnapshotResult,
} from "../../sync/generated/contract.js";
import type { AnyRecord, Collection, SyncedInstallation, Workspace } from "../workspace.js";
import { Batch } from "./batch.js";
import { requireId, validRecords } from "./message.js";
import { Refusal } from "./refusal.js";
import { type CollectionMessage, createStores, isCollection } from "./stores.js";

/** Always the same array, because a new one would count as a change. */
const NONE: readonly never[] = [];

/** A direct integration installation, whose lock is held while its newest batch is active. */
export class Installation implements SyncedInstallation {
  readonly integration: { readonly id: string; readonly name: string };
  readonly batches: Batch[] = [];
  readonly stores = createStores();

  constructor(
    readonly workspace: Workspace,
    integrationName: string,
    readonly id: string = randomUUID(),
  ) {
    this.integration = { id: randomUUID(), name: integrationName };
  }

  records(collection: string): readonly AnyRecord[] {
    return isCollection(collection) ? this.stores[collection].present() : NONE;
  }

  lockHolder(now: number): Batch | undefined {
    const newest = this.batches.at(-1);
    return newest?.stateAt(now) === "active" ? newest : undefined;
  }

  start(now: number): Batch {
    if (this.lockHolder(now) !== undefined) {
      throw new Refusal(
        status.ALREADY_EXISTS,
        "Another batch is in progress for this installation. Complete or abort it, or wait until its lease expires.",
      );
    }
    const batch = new Batch(this.batches.length + 1, now);
    this.batches.push(batch);
    return batch;
  }

  /** Accepts a whole message or, if a record is invalid, nothing. */
  accept<C extends Collection>(message: CollectionMessage<C>, batch: Batch, now: number): void {
    const records = validRecords(message);
    this.stores[message.$case].write(records, batch);
    batch.renewLease(now);
  }

  complete(batch: Batch, now: number): CompleteSyncBatchResponse {
    batch.complete(now);
    const snapshots: SnapshotResult[] = [];
    const events: EventResult[] = [];
    for (const [name, counts] of batch.counts) {
      const store = this.stores[name];
      store.complete(batch);
      const collection = WIRE[name].wireName;
      if (store.model === "event") {
        events.push({ collection, accepted: BigInt(counts.accepted) });
      } else {
        const [added, updated] = [BigInt(counts.added), BigInt(counts.updated)];
        snapshots.push({ collection, added, updated, removed: BigInt(counts.removed) });
      }
    }
    return { snapshots, events };
  }
}

/** A batch and the installation whose lock it holds or held. */
export interface FoundBatch {
  readonly batch: Batch;
  readonly installation: Installation;
}

/** The installation and the batch that a request is about. */
export interface Subject {
  readonly installation: Installation;
  /** Undefined for a request to start a batch while the lock is free. */
  readonly batch: Batch | undefined;
}

/** All installations and batches, and the operations of the Sync API on behalf of a workspace. */
export class SyncState {
  readonly #installations = new Map<string, Installation>();
  readonly #batches = new Map<string, FoundBatch>();
  #streams = 0;

  constructor(readonly clock: Clock) {}

  clear(): void {
    this.#installations.clear();
    this.#batches.clear();
  }

  add(installation: Installation): void {
    installation.workspace.installations.push(installation);
    this.#installations.set(installation.id, installation);
  }

  installation(id: string): Installation | undefined {
    return this.#installations.get(id);
  }

  /** Starts a batch and returns its id. */
  start(installationId: string, workspace: Workspace): string {
    requireId("installation_id", installationId);
    const installation = this.#installations.get(installationId);
    // An unknown id gets the same answer as another workspace's installation, so that callers can't tell them apart.
    if (installation === undefined || installation.workspace !== workspace) {
      throw new Refusal(
        status.PERMISSION_DENIED,
        "The installation does not belong to the workspace of the API key.",
      );
    }
    return this.#start(installation);
  }

  /** Finds the batch that a request names, or that holds the named installation's lock. Doesn't check the caller. */
  subject(request: { readonly batchId: string } | { readonly installationId: string }): Subject | undefined {
    if ("batchId" in request) return this.#batches.get(request.batchId);
    const installation = this.#installations.get(request.installationId);
    return installation && { installation, batch: installation.lockHolder(this.clock.now()) };
  }

  endLease({ batch }: Subject): void {
    batch?.endLease(this.clock.now());
  }

  /** Ends the lease of a batch and starts another one, unless another batch holds the lock. */
  stealLock(subject: Subject): void {
    this.endLease(subject);
    const { installation } = subject;
    if (installation.lockHolder(this.clock.now()) === undefined) this.#start(installation);
  }

  find(batchId: string, workspace: Workspace): FoundBatch {
    requireId("batch_id", batchId);
    const found = this.#batches.get(batchId);
    if (found === undefined) throw new Refusal(status.NOT_FOUND, "There is no batch with this id.");
    if (found.installation.workspace !== workspace) {
      throw new Refusal(
        status.PERMISSION_DENIED,
        "The batch does not belong to the workspace of the API key.",
      );
    }
    return found;
  }

  /** Numbers a new stream, in the order in which streams are opened, from 1 and across restarts. */
  openStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  /** Accepts one message of a batch, or refuses it and changes nothing. */
  write({ batch, installation }: FoundBatch, stream: number, message: CollectionMessage): void {
    const now = this.clock.now();
    batch.requireActive(now);
    batch.enter(stream);
    installation.accept(message, batch, now);
  }

  endStream(batch: Batch, stream: number): void {
    batch.leave(stream);
  }

  complete(batchId: string, workspace: Workspace): CompleteSyncBatchResponse {
    const { batch, installation } = this.find(batchId, workspace);
    return installation.complete(batch, this.clock.now());
  }

  abort(batchId: string, workspace: Workspace): void {
    this.find(batchId, workspace).batch.abort(this.clock.now());
  }

  #start(installation: Installation): string {
    const batch = installation.start(this.clock.now());
    this.#batches.set(batch.id, { batch, installation });
    return batch.id;
  }
}
