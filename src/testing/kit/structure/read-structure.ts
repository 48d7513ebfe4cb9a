import { isPlainObject } from "../../../core/validate.js";
import type { Exchange } from "../cassette/cassette.js";
import { continuationOf } from "./continuation.js";
import { isSuccess, jsonOf } from "./edit.js";
import { idOf, itemListOf } from "./item-list.js";
import { valueAt } from "./json-path.js";
import { listingKeys } from "./listing-keys.js";
import type { Listing, Page, Recording, Structure } from "./structure.js";
import { pageCountsOf, totalsOf } from "./totals.js";

/** Finds the listings of a recording and what else it has. */
export function readStructure(recording: Recording): Structure {
  const keys = listingKeys(recording);
  const asked = new Set<string>();
  const groups = new Map<string, number[]>();
  for (const [index, exchange] of recording.entries()) {
    if (!isSuccess(exchange) || asked.has(identityOf(exchange))) continue;
    // What is asked again, such as after a failure, is the same page.
    asked.add(identityOf(exchange));
    const group = groups.get(keys[index] ?? "") ?? [];
    groups.set(keys[index] ?? "", group);
    group.push(index);
  }
  const listings: Listing[] = [];
  const details: number[] = [];
  const texts: number[] = [];
  let token: number | undefined;
  for (const group of groups.values()) {
    const listing = listingOf(group, recording);
    if (listing !== undefined) {
      listings.push(listing);
      continue;
    }
    for (const index of group) {
      const exchange = recording[index];
      if (exchange === undefined) continue;
      const json = jsonOf(exchange);
      if (isPlainObject(json) && typeof json["access_token"] === "string") token ??= index;
      else if ("text" in exchange.response.body) texts.push(index);
      else if (isPlainObject(json)) details.push(index);
    }
  }
  const size = ({ pages }: Listing) => pages.length * 1_000_000 + pages.flatMap(({ items }) => items).length;
  return { listings: listings.sort((a, b) => size(b) - size(a)), details, texts, token };
}

function listingOf(group: readonly number[], recording: Recording): Listing | undefined {
  const exchanges = group.flatMap((index) => recording[index] ?? []);
  const [first] = exchanges;
  if (first === undefined || !exchanges.every(({ response }) => "json" in response.body)) return undefined;
  const list = itemListOf(exchanges.map(jsonOf));
  if (list === undefined) return undefined;
  const pages: Page[] = group.map((exchange, position) => {
    const items = valueAt(jsonOf(exchanges[position] ?? first), list);
    return { exchange, items: Array.isArray(items) ? items : [] };
  });
  const items = pages.flatMap((page) => page.items);
  const { method, url } = first.request;
  return {
    name: `${method} ${new URL(url).pathname}`,
    pages,
    list,
    id: idOf(items),
    ...continuationOf(exchanges, list),
    totals: totalsOf(exchanges, list, items.length),
    pageCounts: pageCountsOf(exchanges, list),
  };
}

function identityOf({ request }: Exchange): string {
  return `${request.method} ${request.url} ${JSON.stringify(request.body ?? null)}`;
}
