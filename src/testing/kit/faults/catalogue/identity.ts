/** Data of somebody else. */

import { bytesOf } from "../../cassette/body.js";
import { type JsonPath, valueAt, withValueAt } from "../../structure/json-path.js";
import { changing, type Entry, entriesOf, fieldsOf, idPathOf, shortDigest, someEntries } from "../entries.js";
import { answering, type FaultKind, instead } from "../kind.js";
import { spotAt, type View } from "../view.js";

const FEWEST = 5;
/** The guard compares names and e-mail addresses from 20 known records on. */
const FEWEST_COMPARED = 25;

function otherTenant(
  name: string,
  summary: string,
  some: (view: View, entries: readonly Entry[]) => readonly Entry[],
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const entries = entriesOf(view);
      const id = idPathOf(view, entries);
      if (id === undefined || entries.length < FEWEST) return undefined;
      const texts = fieldsOf(view, entries, "string");
      const plan = changing(view, some(view, entries), "the items", (item) => {
        const digest = shortDigest(valueAt(item, id));
        const own = texts.reduce(
          (changed, path) => withValueAt(changed, path, foreign(item, path, digest)),
          item,
        );
        return withValueAt(own, id, typeof valueAt(item, id) === "number" ? parseInt(digest, 16) : digest);
      });
      return { ...plan, seenByGuardOnly: true };
    },
  };
}

/** Only names and addresses are others: dates and kinds remain valid. */
function foreign(item: unknown, path: JsonPath, digest: string): unknown {
  const value = valueAt(item, path);
  if (/mail/i.test(`${path.at(-1)}`)) return `${digest}@other-tenant.example`;
  return /name/i.test(`${path.at(-1)}`) ? `Person ${digest}` : value;
}

export const IDENTITY: readonly FaultKind[] = [
  otherTenant("other-tenant", "all items are those of another tenant", (_, entries) => entries),
  otherTenant("other-tenant-on-pages", "the items of some pages are those of another tenant", someEntries),
  {
    name: "fields-of-neighbors",
    summary: "each item has the id of the next one",
    plan(view) {
      const entries = entriesOf(view);
      const id = idPathOf(view, entries);
      const named = fieldsOf(view, entries, "string").filter((path) => /name|mail/i.test(`${path.at(-1)}`));
      if (id === undefined || entries.length < FEWEST_COMPARED || named.length < 2) return undefined;
      const plan = changing(view, entries, "the items", (item, index) =>
        withValueAt(item, id, valueAt(entries[(index + 1) % entries.length]?.value, id)),
      );
      return { ...plan, seenByGuardOnly: true };
    },
  },
  {
    name: "answer-of-another-request",
    summary: "a page has the answer to another request (a cache that mixes them up)",
    plan(view) {
      const { listings, details } = view.structure;
      const other = view.recording[listings[1]?.pages[0]?.exchange ?? details[0] ?? -1];
      const spot = view.main === undefined ? undefined : spotAt(view, "any");
      if (other === undefined || spot === undefined) return undefined;
      const { status, headers, body } = other.response;
      return answering(view, spot, "always", () => instead(status, bytesOf(body), headers));
    },
  },
];
