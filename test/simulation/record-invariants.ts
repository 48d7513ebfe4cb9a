/** What has to be true of records: which of them the service holds, how often, and in which order they came. */
import { BatchStateError, ClosedError, SaasManagementError } from "@saas-management/sdk";
import { isSnapshot } from "./messages.js";
import type { ObservedBatch, ObservedWrite } from "./observation.js";
import type { ModelBatch } from "./service-model.js";
import type { Simulated } from "./simulate.js";
import { strayOf } from "./source.js";

export function brokenRecordRules(simulated: Simulated): string[] {
  return [
    ...completionsOfParts(simulated),
    ...wronglyRemoved(simulated),
    ...strays(simulated),
    ...lostEvents(simulated),
    ...repeatedEvents(simulated),
    ...wrongOutcomes(simulated),
    ...disorder(simulated),
  ];
}

/** A completed batch has everything that its writes had, and every write of it was whole. */
function completionsOfParts({ service, observation, undercounted }: Simulated): string[] {
  return service.batches
    .filter(({ state }) => state === "completed")
    .flatMap((batch) => {
      const observed = observation.batches.find(({ id }) => id === batch.id);
      if (observed === undefined) return [`${batch.id} was completed, and nobody has it`];
      return observed.writes.flatMap((write) => {
        if (cameTooLate(write))
          return appliedOf(batch, write).length === 0 ? [] : [`${write.label} came too late`];
        const name = `${batch.id}, completed: write ${write.label} of ${write.collection}`;
        if (!write.whole) return [`${name} was not whole`];
        if (write.outcome !== "done") return [`${name} is ${write.outcome}`];
        if (undercounted.has(batch.id))
          return [`${batch.id}, completed: fewer records were acknowledged than sent`];
        if (
          !batch.applied.some(({ collection }) => collection === write.collection) &&
          isSnapshot(write.collection)
        )
          return [`${name} never arrived, not even as an empty one`];
        // Events that an earlier attempt of the run got accepted are left out.
        const sameRun = observation.batches.filter(({ run }) => run !== undefined && run === observed.run);
        const earlier = isSnapshot(write.collection) ? [] : sameRun.map(({ id }) => id);
        const batches = service.batches.filter(({ id }) => id === batch.id || earlier.includes(id));
        const applied = new Set(batches.flatMap((one) => appliedOf(one, write)));
        const missing = write.keys.filter((_, index) => !applied.has(index));
        return missing.length === 0 ? [] : [`${name} lacks ${missing.join(", ")}`];
      });
    });
}

/** Whether a write was refused because the batch had been completed, or might have been. */
function cameTooLate({ error, afterCompletion }: ObservedWrite): boolean {
  if (error instanceof ClosedError) return afterCompletion;
  return error instanceof BatchStateError && error.reason !== "incomplete";
}

/** What the last complete snapshot of a collection held is there, and not marked removed. */
function wronglyRemoved({ service, observation }: Simulated): string[] {
  return [...service.snapshots].flatMap(([collection, rows]) => {
    const last = service.batches.findLast(
      ({ state, applied }) => state === "completed" && applied.some((one) => one.collection === collection),
    );
    const writes = observation.batches.find(({ id }) => id === last?.id)?.writes ?? [];
    const held = writes.filter((write) => write.collection === collection && write.outcome === "done");
    const removed = held.flatMap(({ keys }) => keys).filter((key) => rows.get(key)?.removed !== false);
    return removed.length === 0
      ? []
      : [`${last?.id}: ${removed.join(", ")} of ${collection} are removed, and its source held them`];
  });
}

/** What the owner of an array puts into it after a call is no part of that call, unless the call fails. */
function strays({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap(({ id, writes }) => {
    const applied = service.batches.find((batch) => batch.id === id)?.applied ?? [];
    const labels = new Set(applied.flatMap((message) => message.labels.map(writeOf)));
    return writes
      .filter(({ label, outcome }) => outcome === "done" && labels.has(strayOf(label)))
      .map(({ label }) => `${label} is done, and has records that came into its array after the call`);
  });
}

/** Every event whose write is done is there. */
function lostEvents({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap(({ writes }) =>
    writes
      .filter(({ collection, outcome }) => !isSnapshot(collection) && outcome === "done")
      .flatMap(({ collection, keys, label }) => {
        const events = service.events.get(collection);
        const lost = keys.filter((key) => events?.get(key) === undefined);
        return lost.length === 0 ? [] : [`${label}: the events ${lost.join(", ")} of ${collection} are lost`];
      }),
  );
}

/**
 * Where no stream was disturbed, no event is applied twice, by the restarts of a run neither. Those with an id are
 * counted before the service finds that it has them already.
 */
function repeatedEvents({ service, observation, fired, crashed }: Simulated): string[] {
  if (crashed || fired.some(({ operation }) => operation === "SyncRecords")) return [];
  const seen = new Set<string>();
  return service.batches.flatMap((batch) => {
    const { run = batch.id } = observation.batches.find(({ id }) => id === batch.id) ?? {};
    return batch.applied
      .filter(({ model }) => model === "event")
      .flatMap(({ labels }) => labels)
      .filter((label) => seen.has(`${run} ${label}`) || !seen.add(`${run} ${label}`))
      .map((label) => `${label} was applied twice`);
  });
}

/** What a failed write's error says of its records is what happened to them. */
function wrongOutcomes(simulated: Simulated): string[] {
  const { service, observation } = simulated;
  return observation.batches.flatMap((observed) => {
    const batch = service.batches.find(({ id }) => id === observed.id);
    return observed.writes.flatMap((write) => {
      const { error, keys, label } = write;
      // Where an attempt leaves events out, its outcomes count those alone that it sent.
      if (
        batch === undefined ||
        isRefusedChange(write) ||
        wasSentBefore(write, observed, simulated) ||
        !(error instanceof SaasManagementError)
      )
        return [];
      const applied = appliedOf(batch, write);
      return error.outcomes.flatMap(({ outcome, firstIndex, records }) => {
        const some = [...keys.keys()].slice(firstIndex, firstIndex + records);
        const there = some.filter((index) => applied.includes(index)).length;
        if (outcome === "accepted" && there < some.length)
          return [`${label}: accepted records are not there`];
        if (outcome !== "accepted" && outcome !== "unknown" && there > 0)
          return [`${label}: ${outcome} records are there`];
        return [];
      });
    });
  });
}

/** Writes of a batch reach the service one after the other, in the order of the calls. */
function disorder({ service, observation }: Simulated): string[] {
  const found: string[] = [];
  for (const batch of service.batches) {
    const writes = observation.batches.find(({ id }) => id === batch.id)?.writes ?? [];
    const queued = writes.filter(({ pieces }) => pieces !== true).map(({ label }) => label);
    const positions = batch.applied.flatMap(({ labels }) =>
      labels.map((label) => queued.indexOf(writeOf(label))).filter((position) => position >= 0),
    );
    if (!isSorted(positions)) found.push(`${batch.id}: writes arrived in the order ${positions.join(" ")}`);
    for (const write of writes) {
      if (isRefusedChange(write)) continue;
      const first = [...new Set(appliedOf(batch, write))];
      if (!isSorted(first)) found.push(`${write.label}: records arrived in the order ${first.join(" ")}`);
    }
  }
  return found;
}

/** Indexes of the records of a write that the service applied in a batch, each as often as it did. */
function appliedOf({ applied }: ModelBatch, { label }: ObservedWrite): number[] {
  return applied.flatMap(({ labels }) =>
    labels.filter((applied) => writeOf(applied) === label).map((applied) => Number(applied.split("#")[1])),
  );
}

/** Whether another attempt of the run has had events of a write accepted. */
function wasSentBefore(
  { label, collection }: ObservedWrite,
  { id, run }: ObservedBatch,
  simulated: Simulated,
): boolean {
  if (run === undefined || isSnapshot(collection)) return false;
  const others = simulated.observation.batches.filter((batch) => batch.run === run && batch.id !== id);
  return simulated.service.batches
    .filter((batch) => others.some((other) => other.id === batch.id))
    .some(({ applied }) => applied.some(({ labels }) => labels.some((one) => writeOf(one) === label)));
}

/** Whether a write failed whose records were changed under its hands: what it sent is not known then. */
function isRefusedChange({ changed, outcome }: ObservedWrite): boolean {
  return changed && outcome !== "done";
}

/** The write that a record's label names. */
function writeOf(label: string): string {
  return label.split("#")[0] ?? "";
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => number >= (numbers[i - 1] ?? 0));
}
