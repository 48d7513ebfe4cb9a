/** Finds pages that the vendor has but the recording lacks. */
import type { Exchange } from "../cassette/cassette.js";
import { isTime } from "../cassette/fakes.js";
import { answerValues, placeOf } from "./edit.js";
import { isAddress, nextLink, resolved } from "./listing-keys.js";
import { readStructure } from "./read-structure.js";
import { partsOf } from "./request-parts.js";
import type { Listing, Recording } from "./structure.js";

const NEXT = /next|continuation/i;
/** Names of tokens for the next synchronization, not for the next page. */
const NEXT_TIME = /sync|delta|time|date|run|at$/i;
const MORE = /^(?:has_?more|has_?next(?:_?page)?|more|is_?truncated)$/i;
const TOTAL =
  /^(?:total(?:_?(?:count|items|results|records|elements|size|rows|users|members|entries|hits))?|@odata\.count|x-total(?:-count)?)$/i;

/** Describes which part of each listing the connector didn't read. */
export function unreadPages(recording: Recording): readonly string[] {
  const { listings } = readStructure(recording);
  return listings.flatMap((listing) => {
    const unread = unreadOf(listing, recording);
    return unread === undefined ? [] : [`${listing.name}: ${unread}`];
  });
}

function unreadOf({ pages, list, next }: Listing, recording: Recording): string | undefined {
  const last = recording[pages.at(-1)?.exchange ?? -1];
  if (last === undefined) return undefined;
  const values = [...answerValues(last, list)];
  const flags = values.filter(({ name, value }) => typeof value === "boolean" && MORE.test(lastOf(name)));
  const items = pages.flatMap((page) => page.items).length;
  const total = values.find(({ name, place }) => TOTAL.test(place.in === "header" ? name : lastOf(name)));
  if (total !== undefined && Number.isInteger(Number(total.value)) && Number(total.value) !== items)
    return `${total.name} is ${total.value}, and ${items} items were read`;
  if (flags.some(({ value }) => value === true)) return `${flags[0]?.name} says that there is more`;
  if (flags.length > 0) return undefined;
  const leading = values.find(
    ({ name, place, value }) =>
      (NEXT.test(name) ||
        name === "link" ||
        next.some((one) => placeOf(last, one) === value && one === place)) &&
      isUnasked(name, value, last, recording),
  );
  return leading === undefined ? undefined : `the next page in ${leading.name} was never requested`;
}

function isUnasked(name: string, value: unknown, last: Exchange, recording: Recording): boolean {
  const named = name === "link" ? nextLink(`${value}`) : value;
  if (typeof named !== "string" && typeof named !== "number") return false;
  if (named === "" || named === 0 || isTime(`${named}`) || NEXT_TIME.test(lastOf(name))) return false;
  const address = isAddress(`${named}`) ? resolved(`${named}`, last) : undefined;
  return !recording.some(
    ({ request }) => request.url === address || partsOf(request).some((part) => part.value === `${named}`),
  );
}

function lastOf(name: string): string {
  return name.split(".").at(-1) ?? "";
}
