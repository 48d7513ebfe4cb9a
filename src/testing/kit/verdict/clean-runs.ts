import { redactSecrets } from "../../../core/redact.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { Connector } from "../../../runs/connector.js";
import type { GuardOptions } from "../../../runs/guard/rules.js";
import { type Collection, isCollection, type SnapshotCollection } from "../../../sync/collections.js";
import { counted } from "../../../sync/report-text.js";
import type { RecordedRun } from "../cassette/cassette.js";
import { idPathOf } from "../faults/record-faults.js";
import type { Servers, TestedResult, TestedRun } from "../run/servers.js";
import { valueAt, withValueAt } from "../structure/json-path.js";
import { readStructure } from "../structure/read-structure.js";
import { unreadPages } from "../structure/unread.js";
import { compareEffects, describeChanges, fieldsOf } from "./compare.js";
import { leaksOf, unmatched } from "./requests.js";
import { type Expectation, messageOf } from "./verdict.js";

/** The runs without a fault, which every other run is compared with. */
export interface CleanRuns {
  /** The setup that each run starts from. */
  readonly setup: TestedRun;
  readonly expected: Expectation;
  readonly result: TestedResult;
  /** Why the clean runs are WRONG: they differ, or leak. */
  readonly problem: string | undefined;
  /** Listings that the connector doesn't read to the end. */
  readonly unread: readonly string[];
}

/**
 * Runs a connector three times without a fault, and once more after a day without a run.
 * @param runs The recorded runs: one, or two, of which the second starts from the watermarks of the first.
 * @throws {Error} the connector fails, or sends a request that isn't in the recording
 */
export async function runClean(
  servers: Servers,
  connector: Connector<SnapshotCollection>,
  [earlier, later]: readonly RecordedRun[],
  guard: GuardOptions | false | undefined,
): Promise<CleanRuns> {
  const run = (setup: TestedRun) => runOnce(servers.run(connector, setup));
  const following = later && { recording: later, before: earlier, guard };
  // A second run may have few items, but faults need something to change.
  const isTested = earlier !== undefined && later !== undefined && itemsIn(later) >= itemsIn(earlier);
  if (following !== undefined && !isTested) await run(following);
  const given = isTested && following ? following : { recording: earlier, guard };
  const first = await run(given);
  const before = isTested ? earlier : { records: yesterdayOf(first.effect, connector.snapshots) };
  const recording = given.recording && askedOf(given.recording, first);
  const setup = { ...given, before, recording };
  const one = await run(setup);
  const two = await run(setup);
  const late = await run({ ...setup, daysLater: 2 });
  const volatile = new Set([
    ...volatileFields(one.effect, two.effect),
    ...volatileFields(one.effect, late.effect),
  ]);
  const expected = { effect: one.effect, nextRun: late.effect, volatile };
  const unread = recording === undefined ? [] : unreadPages(recording.exchanges);
  return { setup, expected, result: one, problem: problemOf([first, one, two], expected), unread };
}

function itemsIn({ exchanges }: RecordedRun): number {
  return readStructure(exchanges).listings.flatMap(({ pages }) => pages.flatMap(({ items }) => items)).length;
}

const FAKED =
  ' The strings of a cassette are fakes: if the connector refuses one, record again with keep: ["FIELD"], or check only its form.';

/** @throws {Error} the run failed, or sent a request that isn't in the recording */
export async function runOnce(run: Promise<TestedResult>): Promise<TestedResult> {
  const result = await run;
  const { error, outcome, credentials } = result;
  const unknown = unmatched(result);
  if (outcome === "completed" && unknown.length === 0) return result;
  const missing =
    unknown.length === 0
      ? ""
      : ` The recording does not hold ${unknown.slice(0, 3).join(", ")}: use the address that was recorded, or record again with recordVendor.`;
  const failed = outcome === "completed" ? "" : ` ${messageOf(error)}`;
  const faked = missing === "" && result.requests.length > 0 ? FAKED : "";
  const text = `The connector fails without a fault.${missing}${faked}${failed}`;
  throw new Error(redactSecrets(text, credentials), leaksOf(result).length === 0 ? { cause: error } : {});
}

/** Leaves out exchanges that this connector never requests, because no fault could reach them. */
function askedOf(run: RecordedRun, { requests }: TestedResult): RecordedRun {
  const asked = new Set(requests.map(({ exchange }) => exchange));
  return { ...run, exchanges: run.exchanges.filter((_, index) => asked.has(index)) };
}

function problemOf(
  [first, one, two]: readonly [TestedResult, TestedResult, TestedResult],
  expected: Expectation,
): string | undefined {
  const leaks = [...new Set([first, one, two].flatMap(leaksOf))];
  if (leaks.length > 0) return `leaked: ${leaks.join("; ")}`;
  for (const later of [one, two])
    if (later.requests.length !== first.requests.length)
      return `two runs without a fault differ: one sent ${counted(first.requests.length, "request")}, a later one ${later.requests.length}; the connector may keep answers of earlier runs`;
  for (const [collection, records] of first.records)
    for (const later of [one, two]) {
      const count = later.records.get(collection)?.length ?? 0;
      if (count !== records.length)
        return `two runs without a fault differ: one wrote ${records.length} ${collection}, a later one ${count}; the connector may keep state outside of run`;
    }
  const changes = compareEffects(two.effect, expected.effect, expected.volatile);
  return changes.length === 0 ? undefined : `two runs without a fault differ: ${describeChanges(changes)}`;
}

/** A time in an inspection, as JSON text. */
const TIME = /^"\d{4}-\d\d-\d\dT[\d:.]+Z"$/;

/** Fields with a different time in each clean run, such as when the record was read. */
function volatileFields(one: Inspection, other: Inspection): ReadonlySet<string> {
  const found = new Set<string>();
  for (const collection of Object.keys(one.snapshots).filter(isCollection))
    for (const [first, second] of pairsOf(one, other, collection)) {
      const fields = fieldsOf(second);
      for (const [path, text] of fieldsOf(first)) {
        const later = fields.get(path) ?? "";
        if (text !== later && TIME.test(text) && TIME.test(later)) found.add(`${collection}.${path}`);
      }
    }
  return found;
}

function pairsOf(one: Inspection, other: Inspection, collection: Collection): [object, object][] {
  const rows: readonly { readonly id: string; readonly record: object }[] = other.snapshots[collection];
  const byId = new Map(rows.map(({ id, record }) => [id, record]));
  return one.snapshots[collection].flatMap(({ id, record }) => {
    const match = id === "" ? undefined : byId.get(id);
    return match === undefined ? [] : [[record, match]];
  });
}

/** Yesterday's records differ from today's only in collections with at least this many records. */
const ENOUGH = 4;
const NEW_EACH = 10;

/** Derives yesterday's snapshots from what the clean run writes. */
function yesterdayOf(
  { snapshots }: Inspection,
  declared: readonly SnapshotCollection[],
): Partial<Record<SnapshotCollection, readonly object[]>> {
  return Object.fromEntries(
    declared.map((collection) => {
      const today = snapshots[collection].map(({ record }) => record);
      const [first] = today;
      if (first === undefined || today.length < ENOUGH) return [collection, today];
      const id = idPathOf({ collection, records: [first] }) ?? [];
      const gone = withValueAt(first, id, `gone-${valueAt(first, id)}`);
      return [collection, [...today.filter((_, index) => index % NEW_EACH !== ENOUGH - 1), gone]];
    }),
  );
}
