import { status } from "@grpc/grpc-js";
import type { Clock } from "../../core/clock.js";
import type {
  CompleteSyncBatchResponse,
  EventResult,
  SnapshotResult,
} from "../../sync/generated/saas_management/sync/v1/sync_service.js";
import type { Workspace } from "../workspace.js";
import type { Batch } from "./batch.js";
import { type CollectionMessage, wireName } from "./collections.js";
import type { Installation } from "./installation.js";
import { requireId } from "./message.js";
import { Refusal } from "./refusal.js";

/** A batch and the installation whose lock it holds or held. */
export interface FoundBatch {
  readonly batch: Batch;
  readonly installation: Installation;
}

/** What a request is about. */
export interface Subject {
  readonly installation: Installation;
  /** Undefined where a request to start a batch finds none in its way. */
  readonly batch: Batch | undefined;
}

/** All installations and batches, and what the Sync API does with them on behalf of a workspace. */
export class SyncState {
  readonly #installations = new Map<string, Installation>();
  readonly #batches = new Map<string, FoundBatch>();
  #streams = 0;

  constructor(readonly clock: Clock) {}

  add(installation: Installation): void {
    this.#installations.set(installation.id, installation);
  }

  installation(id: string): Installation | undefined {
    return this.#installations.get(id);
  }

  /** Starts a batch and returns its id. */
  start(installationId: string, workspace: Workspace): string {
    requireId("installation_id", installationId);
    const installation = this.#installations.get(installationId);
    // One answer for both, so that nobody learns which installations other workspaces have.
    if (installation === undefined || installation.workspace !== workspace) {
      throw new Refusal(
        status.PERMISSION_DENIED,
        "The installation does not belong to the API key's workspace.",
      );
    }
    return this.#start(installation);
  }

  /** What a request is about, whoever asks: the batch that it names, or the installation and the holder of its lock. */
  subject(request: { readonly batchId: string } | { readonly installationId: string }): Subject | undefined {
    if ("batchId" in request) return this.#batches.get(request.batchId);
    const installation = this.#installations.get(request.installationId);
    if (installation === undefined) return undefined;
    return { installation, batch: installation.lockHolder(this.clock.now()) };
  }

  /** Lets the lease of a batch run out now. */
  endLease({ batch }: Subject): void {
    batch?.endLease(this.clock.now());
  }

  /** Lets the lease of a batch run out now, and starts another batch in its place, unless there is one already. */
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
      throw new Refusal(status.PERMISSION_DENIED, "The batch does not belong to the API key's workspace.");
    }
    return found;
  }

  /** The position of a new stream in the order in which streams are opened, from 1. A restart does not begin anew. */
  openStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  /**
   * Takes in one message of a batch, or refuses it and changes nothing.
   * @param stream Position of the message's stream in the order in which streams were opened, from 1.
   */
  write({ batch, installation }: FoundBatch, stream: number, message: CollectionMessage): void {
    const now = this.clock.now();
    batch.requireActive(now);
    batch.enter(stream);
    installation.accept(message, batch, now);
  }

  /** A stream of a batch has ended, in whatever way. */
  endStream(batch: Batch, stream: number): void {
    batch.leave(stream);
  }

  complete(batchId: string, workspace: Workspace): CompleteSyncBatchResponse {
    const { batch, installation } = this.find(batchId, workspace);
    installation.complete(batch, this.clock.now());
    const snapshots: SnapshotResult[] = [];
    const events: EventResult[] = [];
    for (const [name, { accepted, added, updated, removed }] of batch.tallies) {
      const collection = wireName(name);
      if (installation.modelOf(name) === "event") {
        events.push({ collection, accepted: BigInt(accepted) });
      } else {
        snapshots.push({
          collection,
          added: BigInt(added),
          updated: BigInt(updated),
          removed: BigInt(removed),
        });
      }
    }
    return { snapshots, events };
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
