/** Answers with status 200 whose body is something else. */
import { gzipSync } from "node:zlib";
import type { VendorAnswer } from "../../vendor/answer.js";
import { answering, type FaultKind, instead, jsonError, type Times } from "../kind.js";
import { type Position, spotAt } from "../view.js";

const MAINTENANCE =
  "<!doctype html><html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>";
const HTML = { "content-type": "text/html; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };

function body(
  name: string,
  summary: string,
  change: (answer: VendorAnswer) => VendorAnswer | undefined,
  position: Position = "any",
  times: Times = "always",
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const spot = spotAt(view, position);
      const exchange = view.recording[spot?.exchange ?? -1];
      if (spot === undefined || exchange === undefined) return undefined;
      return answering(view, spot, times, (answer) => change(answer) ?? answer);
    },
  };
}

const html = () => instead(200, MAINTENANCE, HTML);
const empty = ({ headers }: VendorAnswer) => instead(200, "", headers);
const refusal = () => jsonError(200, "Backend unavailable");

function truncated({ headers, body }: VendorAnswer): VendorAnswer {
  return instead(200, body.subarray(0, Math.floor(body.length * 0.6)), headers);
}

function damagedGzip({ headers, body }: VendorAnswer): VendorAnswer {
  const zipped = gzipSync(body);
  // Behind the header, in the compressed data.
  zipped.fill(0xff, Math.floor(zipped.length / 2), Math.floor(zipped.length / 2) + 8);
  return instead(200, zipped, { ...headers, "content-encoding": "gzip" });
}

function withLength(answer: VendorAnswer, length: number, cutAfter: number): VendorAnswer {
  return { ...answer, headers: { ...answer.headers, "content-length": `${length}` }, cutAfter };
}

export const BODIES: readonly FaultKind[] = [
  body("html-200-first", "the first page is an HTML page with status 200", html, "first"),
  body("html-200-last", "the last page is an HTML page with status 200", html, "last"),
  body("html-200-once", "a page is an HTML page with status 200, once", html, "any", "once"),
  body("empty-body-first", "the first page has no body", empty, "first"),
  body("empty-body-last", "the last page has no body", empty, "last"),
  body("no-content-first", "the first page answers 204", () => instead(204, ""), "first"),
  body("no-content-last", "the last page answers 204", () => instead(204, ""), "last"),
  body("not-modified", "a page answers 304 although nobody asked whether it changed", () => instead(304, "")),
  body("empty-object-last", "the last page is {}", () => instead(200, "{}", JSON_TYPE), "last"),
  body("null-body-last", "the last page is null", () => instead(200, "null", JSON_TYPE), "last"),
  body("error-200-first", "the first page is an error with status 200", refusal, "first"),
  body("error-200-middle", "a page in the middle is an error with status 200", refusal, "middle"),
  body("error-200-last", "the last page is an error with status 200", refusal, "last"),
  body("truncated-body", "a page ends in the middle, with the length that it says", truncated),
  body("length-too-long", "a page is shorter than its content-length", (answer) =>
    withLength(answer, answer.body.length + 100, answer.body.length),
  ),
  body("length-too-short", "a page is cut to a wrong content-length", ({ headers, body, ...answer }) => {
    const length = Math.floor(body.length / 2);
    return {
      ...answer,
      headers: { ...headers, "content-length": `${length}` },
      body: body.subarray(0, length),
    };
  }),
  body("gzip-damaged", "a compressed page is damaged", damagedGzip),
  body("gzip-undeclared", "a compressed page does not say that it is compressed", ({ headers, body }) =>
    instead(200, gzipSync(body), headers),
  ),
  body("byte-order-mark", "a page begins with a byte order mark", ({ headers, body }) =>
    instead(200, Buffer.concat([Buffer.from("\ufeff"), body]), headers),
  ),
  body("content-type-wrong", "a page has the type text/html, and its usual body", (answer) => ({
    ...answer,
    headers: { ...answer.headers, ...HTML },
  })),
];
