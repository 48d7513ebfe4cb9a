import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import type { Collection, MessageOf, SyncedInstallation, Workspace } from "../workspace.js";
import { Batch } from "./batch.js";
import type { CollectionMessage, CollectionStore } from "./collections.js";
import { EventLog } from "./event-log.js";
import { validRecords } from "./message.js";
import { Refusal } from "./refusal.js";
import { Snapshot } from "./snapshot.js";

/**
 * A direct integration installation of a workspace: what was synced under it, its batches, and its lock.
 *
 * The lock is no thing of its own: it is held while the newest batch is active. So an old batch cannot release it.
 */
export class Installation implements SyncedInstallation {
  readonly id = randomUUID();
  readonly integration: { readonly id: string; readonly name: string };
  readonly batches: Batch[] = [];
  readonly snapshots = {
    accounts: new Snapshot("accounts"),
    plans: new Snapshot("plans"),
    licenses: new Snapshot("licenses"),
    employees: new Snapshot("employees"),
    groups: new Snapshot("groups"),
    groupMembers: new Snapshot("groupMembers"),
    devices: new Snapshot("devices"),
  };
  readonly events = {
    usage: new EventLog("usage"),
    externallyDiscoveredUsage: new EventLog("externallyDiscoveredUsage"),
    auditLogs: new EventLog("auditLogs"),
    aiUsage: new EventLog("aiUsage"),
    aiCost: new EventLog("aiCost"),
  };
  readonly #stores: { readonly [C in Collection]: CollectionStore<C> } = {
    ...this.snapshots,
    ...this.events,
  };

  constructor(
    readonly workspace: Workspace,
    integrationName: string,
  ) {
    this.integration = { id: randomUUID(), name: integrationName };
  }

  records<C extends Collection>(collection: C): readonly MessageOf<C>[] {
    return this.#stores[collection].present();
  }

  /** The batch that holds the lock. One whose lease has run out holds it no longer. */
  lockHolder(now: number): Batch | undefined {
    const newest = this.batches.at(-1);
    return newest?.stateAt(now) === "active" ? newest : undefined;
  }

  start(now: number): Batch {
    if (this.lockHolder(now) !== undefined) {
      throw new Refusal(
        status.ALREADY_EXISTS,
        "Another batch is in progress for this installation. Complete or abort it, or wait until its lease runs out.",
      );
    }
    const batch = new Batch(this.batches.length + 1, now);
    this.batches.push(batch);
    return batch;
  }

  /** Takes in one message of an active batch, as a whole or, where a record is invalid, not at all. */
  accept<C extends Collection>(message: CollectionMessage<C>, batch: Batch, now: number): void {
    const records = validRecords(message);
    this.#stores[message.$case].write(records, batch);
    batch.renewLease(now);
  }

  /** Completes an active batch: all its snapshots are reconciled in one step that no reader can look into. */
  complete(batch: Batch, now: number): void {
    batch.requireCompletable(now);
    for (const collection of batch.tallies.keys()) this.#stores[collection].complete(batch);
    batch.complete(now);
  }

  modelOf(collection: Collection): "snapshot" | "event" {
    return this.#stores[collection].model;
  }
}
