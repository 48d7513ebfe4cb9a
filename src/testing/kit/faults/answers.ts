import type { Exchange } from "../cassette/cassette.js";
import { withItems } from "../structure/edit.js";
import { recordedAnswer, type VendorAnswer, type VendorRequest } from "../vendor/messages.js";
import { answerLabel, type FaultKind, kindsOf, mainAnswers, type Plan, type View } from "./fault.js";

/** Changes an answer; undefined if there is nothing to change. */
type AnswerChange = (answer: VendorAnswer, request: VendorRequest, view: View) => VendorAnswer | undefined;

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = { "content-type": "application/json" };
const COMMA = /[,;\t|]/;
const FEWEST_LINES = 6;
const MESSAGES: Readonly<Record<number, string>> = {
  200: "Unavailable",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};

/** A completely different answer, without the headers that described the old body. */
function instead(status: number, body: string | Buffer, headers: Headers = JSON_TYPE): VendorAnswer {
  return { status, headers, body: Buffer.from(body) };
}

/** A typical error answer of a vendor. */
function jsonError(status: number, message: string, headers: Headers = {}): VendorAnswer {
  const text = JSON.stringify({ error: { code: status, message } });
  return instead(status, text, { ...JSON_TYPE, ...headers });
}

function error(status: number, headers?: Headers): AnswerChange {
  return () => jsonError(status, MESSAGES[status] ?? "Error", headers);
}

/** A different body with the same headers. */
function body(change: (bytes: Buffer) => string | Buffer | undefined): AnswerChange {
  return ({ headers, body: bytes }) => {
    const changed = change(bytes);
    return changed === undefined ? undefined : instead(200, changed, headers);
  };
}

/** Rewrites a text file line by line. */
function file(change: (lines: readonly string[]) => string | Buffer | undefined): AnswerChange {
  return body((bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    return lines.length < FEWEST_LINES ? undefined : change(lines);
  });
}

function clockBy(ms: number): AnswerChange {
  return (answer) => {
    const date = Date.parse(answer.headers["date"] ?? "");
    if (Number.isNaN(date)) return undefined;
    return { ...answer, headers: { ...answer.headers, date: new Date(date + ms).toUTCString() } };
  };
}

const showsKey: AnswerChange = (_, { headers, url }) => {
  const header = headers["authorization"] ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["cookie"];
  const shown = `API key provided: ${header?.replace(/^\w+ /, "") ?? url}`;
  return { ...jsonError(401, `Incorrect ${shown}`), shown };
};

/** The recorded answer to a different kind of request. */
const ofAnotherList: AnswerChange = (_answer, _request, { structure, recorded }) =>
  recorded(structure.listings[1]?.pages[0]?.exchange ?? structure.details[0]);

const ofAnotherItem: AnswerChange = (_, { exchange }, { structure, recorded }) =>
  recorded(structure.details.find((other) => other !== exchange));

function withRenamedColumn([header = "", ...rows]: readonly string[]): string | undefined {
  if (!COMMA.test(header)) return undefined;
  return [header.replace(COMMA, (comma) => `_v2${comma}`), ...rows].join("\n");
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HTML = { "content-type": "text/html; charset=utf-8" };
const MAINTENANCE =
  "<!doctype html><html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>";

/** The answers that a fault changes. A single page counts as the last one, not the first. */
const PLACES = {
  last: (view: View) => mainAnswers(view).slice(-1),
  any: (view: View) => picked(view, mainAnswers(view)),
  later: (view: View) => picked(view, mainAnswers(view).slice(1)),
  "named page": (view: View) => (view.main?.next.length ? mainAnswers(view).slice(1).slice(-1) : []),
  all: (view: View) => view.recording.map((_, exchange) => exchange),
  "other list": (view: View) =>
    picked(
      view,
      view.structure.listings.slice(1).flatMap(({ pages }) => pages.at(-1)?.exchange ?? []),
    ),
  detail: (view: View) => picked(view, view.structure.details),
  file: (view: View) => (view.main === undefined ? view.structure.texts.slice(0, 1) : []),
} satisfies Record<string, (view: View) => readonly number[]>;

type Row = readonly [
  name: string,
  where: keyof typeof PLACES,
  summary: string,
  change: AnswerChange,
  seenBy?: "guard",
];

const ROWS: readonly Row[] = [
  ["status-500-last", "last", "the last page answers 500", error(500)],
  ["status-500-once", "any", "a page answers 500 once", once(error(500))],
  ["status-429-retry-after-once", "any", "a page answers 429 with retry-after 60 once", once(after(429, 60))],
  ["status-404-last", "last", "the last page answers 404", error(404)],
  ["reset-once", "any", "the connection is reset before a page, once", once(cut(-1))],
  ["cut-once", "any", "the connection ends in the middle of a page, once", once(cut(0.5))],
  ["slow-page", "any", "a page takes 20 minutes, longer than the lease", once(late(20))],
  ["html-200-last", "last", "the last page is HTML with status 200", maintenance],
  ["no-content-last", "last", "the last page answers 204", () => instead(204, "", {})],
  ["empty-object-last", "last", "the last page is {}", emptyObject],
  ["truncated-body", "any", "a page ends in the middle, and its length header agrees", body(start)],
  ["byte-order-mark", "any", "a page begins with a byte order mark", body((bytes) => `\ufeff${bytes}`)],
  ["error-shows-key", "any", "a page answers 401 and shows the key that was sent", showsKey],
  ["answer-of-another-request", "any", "a page has the answer to another request (a cache)", ofAnotherList],
  ["clock-behind", "all", "the vendor's clock is a day behind", clockBy(-DAY_MS)],
  ["other-list-500", "other list", "another listing answers 500", error(500)],
  ["other-list-empty-object", "other list", "a page of another listing is {}", emptyObject],
  ["other-list-missing", "other list", "a page of another listing lacks its list", withoutList],
  ["detail-404", "detail", "the details of an item answer 404, but the item is in the list", error(404)],
  ["detail-of-another", "detail", "the details of an item are another item's (a cache)", ofAnotherItem],
  ["text-half-of-rows", "file", "a file lacks half of its rows", file((rows) => `${half(rows)}\n`), "guard"],
  ["text-column-renamed", "file", "the first column has another name", file(withRenamedColumn)],
];

export const ANSWERS: readonly FaultKind[] = [
  ...kindsOf(ROWS, planOf),
  ...kindsOf(
    [["token-expired", "later", "the access token expires: 401 until a new token is requested"]],
    expiring(
      jsonError(401, "Expired", { "www-authenticate": 'Bearer error="invalid_token"' }),
      ({ structure }) => structure.token,
    ),
  ),
  ...kindsOf(
    [["next-expired", "named page", "the last page answers 400 until the walk begins again"]],
    expiring(jsonError(400, "The page token has expired"), (view) => mainAnswers(view)[0]),
  ),
];

function planOf(view: View, [, where, , change, seenBy]: Row): Plan | undefined {
  const places = PLACES[where](view).filter((at) => {
    const exchange = view.recording[at];
    return exchange !== undefined && change(recordedAnswer(exchange), asRecorded(exchange, at), view);
  });
  const [first] = places;
  if (first === undefined) return undefined;
  return {
    at: places.length > 1 ? "all answers" : answerLabel(view, first),
    exchanges: view.recording,
    seenByGuardOnly: seenBy === "guard",
    answer(answer, request) {
      return places.includes(request.exchange ?? -1) ? (change(answer, request, view) ?? answer) : answer;
    },
  };
}

function asRecorded({ request }: Exchange, exchange: number): VendorRequest {
  return { ...request, body: Buffer.alloc(0), number: 1, repeat: 0, exchange };
}

/** Starting with one request, all answers are errors until another request renews what has expired. */
function expiring(error: VendorAnswer, renewal: (view: View) => number | undefined) {
  return (view: View, [, where]: readonly [string, keyof typeof PLACES, string]): Plan | undefined => {
    const [place] = PLACES[where](view);
    if (place === undefined) return undefined;
    const renewing = renewal(view);
    let state: "valid" | "expired" | "renewed" = "valid";
    return {
      at: answerLabel(view, place),
      exchanges: view.recording,
      answer(answer, { exchange }) {
        if (exchange === renewing && state === "expired") state = "renewed";
        if (exchange === place && state === "valid") state = "expired";
        return state === "expired" ? error : answer;
      },
    };
  };
}

function picked(view: View, places: readonly number[]): readonly number[] {
  return [view.pick(places)].filter((place) => place !== undefined);
}

function maintenance(): VendorAnswer {
  return instead(200, MAINTENANCE, HTML);
}

function emptyObject(): VendorAnswer {
  return instead(200, "{}");
}

function withoutList(...[, { exchange }, { recording, structure }]: Parameters<AnswerChange>) {
  const page = recording[exchange ?? -1];
  const listing = structure.listings.find(({ pages }) => pages.some((one) => one.exchange === exchange));
  return page && listing?.list.length ? recordedAnswer(withItems(page, listing, undefined)) : undefined;
}

/** Applies a change to the first answer only. */
function once(change: AnswerChange): AnswerChange {
  return (answer, request, view) => (request.repeat === 0 ? change(answer, request, view) : undefined);
}

function after(status: number, seconds: number): AnswerChange {
  return error(status, { "retry-after": `${seconds}` });
}

/** @param share Share of the body to send; -1 cuts before the status line. */
function cut(share: number): AnswerChange {
  return (answer) => ({ ...answer, cutAfter: Math.floor(share < 0 ? share : answer.body.length * share) });
}

function late(minutes: number, cutAfter?: number): AnswerChange {
  return (answer) => ({ ...answer, delayMs: minutes * MINUTE_MS, cutAfter });
}

function start(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length * 0.6));
}

function half(rows: readonly string[]): string {
  return rows.slice(0, Math.ceil(rows.length / 2)).join("\n");
}
