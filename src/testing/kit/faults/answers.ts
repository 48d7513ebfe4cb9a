/** Faults of single answers: errors, connections, bodies, files and sessions. */
import { isPlainObject } from "../../../core/validate.js";
import type { Exchange } from "../cassette/cassette.js";
import { recordedAnswer, type VendorAnswer, type VendorRequest } from "../vendor/answer.js";
import * as to from "./answer-changes.js";
import { type FaultKind, kindsOf, type Plan } from "./fault.js";
import { answerLabel, mainAnswers, type View } from "./view.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HTML = { "content-type": "text/html; charset=utf-8" };
const MAINTENANCE =
  "<!doctype html><html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>";
const THROTTLED = '{"data":null,"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}';

/** The answers that a fault strikes. A single page is the last one, not the first. */
const PLACES = {
  first: (view: View) => mainAnswers(view).slice(0, -1).slice(0, 1),
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
  query: (view: View) =>
    picked(
      view,
      mainAnswers(view).filter((at) => isGraphql(view.recording[at])),
    ),
  file: (view: View) => (view.main === undefined ? view.structure.texts.slice(0, 1) : []),
  token: ({ structure }: View) => (structure.token === undefined ? [] : [structure.token]),
} satisfies Record<string, (view: View) => readonly number[]>;

type Row = readonly [
  name: string,
  where: keyof typeof PLACES,
  summary: string,
  change: to.AnswerChange,
  seenBy?: "guard",
];

const ROWS: readonly Row[] = [
  ["status-500-first", "first", "the first page answers 500", to.error(500)],
  ["status-500-last", "last", "the last page answers 500", to.error(500)],
  ["status-500-once", "any", "a page answers 500 once", once(to.error(500))],
  ["status-503-retry-after-once", "any", "a page answers 503 with retry-after 30 once", once(after(503, 30))],
  ["status-429-once", "any", "a page answers 429 once", once(to.error(429))],
  ["status-429-retry-after-once", "any", "a page answers 429 with retry-after 60 once", once(after(429, 60))],
  [
    "status-429-retry-date-once",
    "any",
    "a page answers 429 and a date to retry at, once",
    once(to.retryDate),
  ],
  ["status-401", "any", "a page answers 401", to.error(401)],
  ["status-403", "any", "a page answers 403", to.error(403)],
  ["status-404-last", "last", "the last page answers 404", to.error(404)],
  ["reset-once", "any", "the connection is reset before a page, once", once(cut(-1))],
  ["reset-last", "last", "the connection is reset before the last page", cut(-1)],
  ["cut-once", "any", "the connection ends in the middle of a page, once", once(cut(0.5))],
  ["stall-once", "any", "a page is silent for 10 minutes, then the connection ends", once(late(10, -1))],
  ["slow-page", "any", "a page takes 20 minutes, longer than the lease", once(late(20))],
  ["html-200-first", "first", "the first page is HTML with status 200", maintenance],
  ["html-200-last", "last", "the last page is HTML with status 200", maintenance],
  ["empty-body-last", "last", "the last page has no body", to.body(() => "")],
  ["no-content-last", "last", "the last page answers 204", () => to.instead(204, "", {})],
  ["empty-object-last", "last", "the last page is {}", emptyObject],
  ["error-200-last", "last", "the last page is an error with status 200", to.error(200)],
  ["truncated-body", "any", "a page ends in the middle, with the length that it says", to.body(start)],
  ["gzip-damaged", "any", "a compressed page is damaged", to.damagedGzip],
  ["byte-order-mark", "any", "a page begins with a byte order mark", to.body((bytes) => `\ufeff${bytes}`)],
  ["content-type-wrong", "any", "a page has the type text/html, and its usual body", withType(HTML)],
  ["redirect-to-login", "last", "the last page redirects to a login page", () => redirect("/login")],
  ["redirect-loop", "any", "a page redirects to itself", to.toItself],
  ["error-shows-key", "any", "a page answers 401 and shows the key that was sent", to.showsKey],
  ["error-shows-request", "last", "a page answers 500 and shows the headers of the request", to.showsRequest],
  [
    "answer-of-another-request",
    "any",
    "a page has the answer to another request (a cache)",
    to.ofAnotherList,
  ],
  ["clock-ahead", "all", "the vendor's clock is a day ahead", to.clockBy(DAY_MS)],
  ["clock-behind", "all", "the vendor's clock is a day behind", to.clockBy(-DAY_MS)],
  [
    "graphql-throttled-once",
    "query",
    "a page answers THROTTLED once",
    once(() => to.instead(200, THROTTLED)),
  ],
  ["other-list-500", "other list", "another listing answers 500", to.error(500)],
  ["other-list-404", "other list", "another listing answers 404", to.error(404)],
  ["detail-500", "detail", "the details of an item answer 500", to.error(500)],
  ["detail-404", "detail", "the details of an item answer 404, although the list has it", to.error(404)],
  ["detail-empty", "detail", "the details of an item are {}", to.body(() => "{}")],
  ["detail-of-another", "detail", "the details of an item are another's (a cache)", to.ofAnotherItem],
  [
    "text-header-only",
    "file",
    "a file has its header and no rows",
    to.file(([head]) => `${head}\n`),
    "guard",
  ],
  ["text-half-of-rows", "file", "a file has half of its rows", to.file((rows) => `${half(rows)}\n`), "guard"],
  [
    "text-cut-in-row",
    "file",
    "a file ends in the middle of a row",
    to.file((rows) => half(rows).slice(0, -10)),
  ],
  ["text-column-renamed", "file", "the first column has another name", to.file(to.withRenamedColumn)],
  ["text-column-missing", "file", "a file lacks its last column", to.file(to.withoutLastColumn)],
  ["text-in-latin-1", "file", "a file is in ISO 8859-1, and says UTF-8", to.file(to.inLatin1)],
  ["token-refused", "token", "the request for an access token answers 401", noClient],
  ["token-missing", "token", "the answer with the access token has none, and status 200", emptyObject],
];

export const ANSWERS: readonly FaultKind[] = [
  ...kindsOf(ROWS, planOf),
  ...kindsOf(
    [["token-expired", "later", "the access token expires: 401 until a new one was asked for"]],
    expiring(
      to.jsonError(401, "Expired", { "www-authenticate": 'Bearer error="invalid_token"' }),
      ({ structure }) => structure.token,
    ),
  ),
  ...kindsOf(
    [["next-expired", "named page", "the last page answers 400 until the walk begins again"]],
    expiring(to.jsonError(400, "The page token has expired"), (view) => mainAnswers(view)[0]),
  ),
];

function planOf(view: View, [, where, , change, seenBy]: Row): Plan | undefined {
  const struck = PLACES[where](view).filter((at) => {
    const exchange = view.recording[at];
    return exchange !== undefined && change(recordedAnswer(exchange), asRecorded(exchange, at), view);
  });
  const [first] = struck;
  if (first === undefined) return undefined;
  return {
    at: struck.length > 1 ? "all answers" : answerLabel(view, first),
    exchanges: where === "last" ? [...view.recording, ...loginPage(view)] : view.recording,
    seenByGuardOnly: seenBy === "guard",
    answer(answer, request) {
      if (struck.includes(request.exchange ?? -1)) return change(answer, request, view) ?? answer;
      // Without a token, all other requests are answered with 401.
      return where === "token" ? to.jsonError(401, "Invalid access token") : answer;
    },
  };
}

function asRecorded({ request }: Exchange, exchange: number): VendorRequest {
  return { ...request, body: Buffer.alloc(0), number: 1, repeat: 0, exchange };
}

/** Answers an error from one answer on, until another request has renewed what has expired. */
function expiring(error: VendorAnswer, renewal: (view: View) => number | undefined) {
  return (view: View, [, where]: readonly [string, keyof typeof PLACES, string]): Plan | undefined => {
    const [struck] = PLACES[where](view);
    if (struck === undefined) return undefined;
    const renewing = renewal(view);
    let state: "valid" | "expired" | "renewed" = "valid";
    return {
      at: answerLabel(view, struck),
      exchanges: view.recording,
      answer(answer, { exchange }) {
        if (exchange === renewing && state === "expired") state = "renewed";
        if (exchange === struck && state === "valid") state = "expired";
        return state === "expired" ? error : answer;
      },
    };
  };
}

function picked(view: View, places: readonly number[]): readonly number[] {
  return [view.pick(places)].filter((place) => place !== undefined);
}

function maintenance(): VendorAnswer {
  return to.instead(200, MAINTENANCE, HTML);
}

function emptyObject(): VendorAnswer {
  return to.instead(200, "{}");
}

function noClient(): VendorAnswer {
  return to.jsonError(401, "Invalid client");
}

/** At the first request only. */
function once(change: to.AnswerChange): to.AnswerChange {
  return (answer, request, view) => (request.repeat === 0 ? change(answer, request, view) : undefined);
}

function isGraphql(exchange: Exchange | undefined): boolean {
  const body = exchange?.request.body;
  return body !== undefined && "json" in body && isPlainObject(body.json) && "query" in body.json;
}

function after(status: number, seconds: number): to.AnswerChange {
  return to.error(status, { "retry-after": `${seconds}` });
}

/** @param share Of the body; -1 cuts before the status line. */
function cut(share: number): to.AnswerChange {
  return (answer) => ({ ...answer, cutAfter: Math.floor(share < 0 ? share : answer.body.length * share) });
}

function late(minutes: number, cutAfter?: number): to.AnswerChange {
  return (answer) => ({ ...answer, delayMs: minutes * MINUTE_MS, cutAfter });
}

function start(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length * 0.6));
}

function half(rows: readonly string[]): string {
  return rows.slice(0, Math.ceil(rows.length / 2)).join("\n");
}

function withType(headers: Readonly<Record<string, string>>): to.AnswerChange {
  return (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
}

function redirect(location: string): VendorAnswer {
  return to.instead(302, "", { location });
}

/** Where redirects lead to. */
function loginPage({ recording: [first] }: View): readonly Exchange[] {
  if (first === undefined) return [];
  const url = `${new URL(first.request.url).origin}/login`;
  const body = { text: '<form method="post"><input name="user"></form>' };
  return [{ request: { method: "GET", url, headers: {} }, response: { status: 200, headers: HTML, body } }];
}
