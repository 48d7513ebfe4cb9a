import type { Inspection } from "../../../reference-server/sync/inspect.js";
import { type Collection, isCollection } from "../../../sync/collections.js";
import { fieldsOf } from "../effect/fields.js";

/** A time as an inspection shows it, in JSON. */
const TIME = /^"\d{4}-\d\d-\d\dT[\d:.]+Z"$/;

/** The fields that hold another time in each clean run, such as when the record was read. */
export function volatileFields(one: Inspection, other: Inspection): ReadonlySet<string> {
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
