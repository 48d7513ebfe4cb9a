/** What must be true of records: which of them the service has, how often, and in which order they arrived. */
import { BatchStateError, ClosedError } from "@saas-management/sdk";
import { isSnapshot } from "./messages.js";
import type { ObservedBatch, ObservedWrite } from "./observation.js";
import type { ModelBatch } from "./service-model.js";
import type { Simulated } from "./simulate.js";

export function brokenRecordRules(simulated: Simulated): string[] {
  return [
    ...completionsOfParts(simulated),
    ...wronglyRemoved(simulated),
    ...lostEvents(simulated),
    ...repeatedEvents(simulated),
    ...wrongCounts(simulated),
    ...disorder(simulated),
  ];
}

/** A completed batch has exactly the records of its writes, and each write was complete. */
function completionsOfParts(simulated: Simulated): string[] {
  const { service, observation, undercounted } = simulated;
  return service.batches
    .filter(({ state }) => state === "completed")
    .flatMap((batch) => {
      const observed = observation.batches.find(({ id }) => id === batch.id);
      if (observed === undefined) return [`${batch.id} was completed, and nobody has it`];
      if (observed.extraction?.threw === true) return [`${batch.id} was completed, and its connector threw`];
      const known = new Set(observed.writes.map(({ label }) => label));
      const strange = batch.applied.flatMap(({ labels }) => labels.filter((one) => !known.has(writeOf(one))));
      if (observed.extraction !== undefined && strange.length > 0)
        return [`${batch.id}, completed: ${strange.join(", ")} was not written by its call of the connector`];
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
        const missing = missingOf(write, observed, simulated);
        return missing.length === 0 ? [] : [`${name} lacks ${missing.join(", ")}`];
      });
    });
}

/** Records of a write that the batch lacks, except events that another batch of the same connector call has. */
function missingOf(
  write: ObservedWrite,
  { id, extraction }: ObservedBatch,
  { service }: Simulated,
): readonly string[] {
  const earlier =
    extraction === undefined || isSnapshot(write.collection)
      ? []
      : extraction.run.batches.filter((batch) => batch.extraction === extraction).map((batch) => batch.id);
  const batches = service.batches.filter((batch) => batch.id === id || earlier.includes(batch.id));
  const applied = new Set(batches.flatMap((one) => appliedOf(one, write)));
  const missing = [...write.keys.keys()].filter((index) => !applied.has(index));
  return missing.map((index) => write.keys[index] ?? "");
}

/** Whether a write was refused because the batch was completed or might have been. */
function cameTooLate({ error, afterCompletion }: ObservedWrite): boolean {
  if (error instanceof ClosedError) return afterCompletion;
  return error instanceof BatchStateError && error.reason !== "incomplete";
}

/** Every record of a collection's last completed snapshot is present and not marked as removed. */
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

/** The service has every event whose write succeeded, except events of runs that weren't completed. */
function lostEvents({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap(({ writes, extraction, completion }) => {
    if (extraction !== undefined && completion !== "done") return [];
    return writes
      .filter(({ collection, outcome }) => !isSnapshot(collection) && outcome === "done")
      .flatMap(({ collection, keys, label }) => {
        const events = service.events.get(collection);
        const lost = keys.filter((key) => events?.get(key) === undefined);
        return lost.length === 0 ? [] : [`${label}: the events ${lost.join(", ")} of ${collection} are lost`];
      });
  });
}

/** If no stream was disturbed, no event is applied twice. */
function repeatedEvents({ service, fired, crashed }: Simulated): string[] {
  const isDisturbed = crashed || fired.some(({ operation }) => operation === "SyncRecords");
  const seen = new Set<string>();
  return service.batches
    .flatMap(({ applied }) => applied)
    .filter(({ model }) => model === "event" && !isDisturbed)
    .flatMap(({ labels }) => labels)
    .filter((label) => seen.has(label) || !seen.add(label))
    .map((label) => `${label} was applied twice`);
}

/** The service has no fewer records than `accepted` counts, and no more than `sent` counts. */
function wrongCounts({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap(({ id, writes, stats }) => {
    const batch = service.batches.find((one) => one.id === id);
    const counted = stats === undefined ? [] : Object.entries(stats());
    return counted.flatMap(([collection, { sent, accepted }]) => {
      const own = writes.filter((write) => write.collection === collection);
      const there = own.reduce((sum, write) => sum + new Set(batch && appliedOf(batch, write)).size, 0);
      const isWrong = there < accepted || there > sent;
      return isWrong
        ? [`${id}: of ${collection} ${there} are there, ${accepted} accepted, ${sent} sent`]
        : [];
    });
  });
}

/** Writes reach the service one after the other, in the order of the calls; a run's writes are sorted by collection. */
function disorder({ service, observation }: Simulated): string[] {
  const found: string[] = [];
  for (const batch of service.batches) {
    const { writes = [], extraction } = observation.batches.find(({ id }) => id === batch.id) ?? {};
    const queued = writes.filter(({ pieces }) => pieces !== true).map(({ label }) => label);
    const positions = batch.applied.flatMap(({ labels }) =>
      labels.map((label) => queued.indexOf(writeOf(label))).filter((position) => position >= 0),
    );
    if (extraction === undefined && !isSorted(positions))
      found.push(`${batch.id}: writes arrived in the order ${positions.join(" ")}`);
    const collections = batch.applied.map(({ collection }) => collection);
    if (extraction !== undefined && !isSorted(collections.map((one) => collections.indexOf(one))))
      found.push(`${batch.id}: collections arrived in the order ${collections.join(" ")}`);
    for (const write of writes) {
      const first = [...new Set(appliedOf(batch, write))];
      if (!isSorted(first)) found.push(`${write.label}: records arrived in the order ${first.join(" ")}`);
    }
  }
  return found;
}

/** Indexes of a write's records that the service applied in a batch; a record applied twice is listed twice. */
function appliedOf({ applied }: ModelBatch, { label }: ObservedWrite): number[] {
  return applied.flatMap(({ labels }) =>
    labels.filter((applied) => writeOf(applied) === label).map((applied) => Number(applied.split("#")[1])),
  );
}

/** The write that a record's label names. */
function writeOf(label: string): string {
  return label.split("#")[0] ?? "";
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => number >= (numbers[i - 1] ?? 0));
}
