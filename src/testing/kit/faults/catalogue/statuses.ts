/** Answers with a status that says what is wrong. */
import { answering, type FaultKind, jsonError, type Times } from "../kind.js";
import { type Position, spotAt } from "../view.js";

const MESSAGES: Readonly<Record<number, string>> = {
  400: "Invalid cursor",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  408: "Request timeout",
  410: "Gone",
  429: "Too many requests",
  500: "Internal server error",
  502: "Bad gateway",
  503: "Service unavailable",
};

const PLACES = {
  first: "the first page",
  middle: "a page in the middle",
  last: "the last page",
  any: "a page",
} satisfies Record<Position, string>;

function status(
  code: number,
  position: Position,
  times: Times,
  suffix = "",
  headers: Readonly<Record<string, string>> = {},
): FaultKind {
  const place = position === "any" ? "" : `-${position}`;
  const with_ = Object.keys(headers).length > 0 ? ` with ${Object.entries(headers).flat().join(" ")}` : "";
  return {
    name: `status-${code}${suffix}${place}-${times}`,
    summary: `${PLACES[position]} answers ${code}${with_}${times === "once" ? " once" : ""}`,
    plan(view) {
      const spot = spotAt(view, position);
      const error = jsonError(code, MESSAGES[code] ?? "Error", headers);
      return spot === undefined ? undefined : answering(view, spot, times, () => error);
    },
  };
}

export const STATUSES: readonly FaultKind[] = [
  status(500, "first", "always"),
  status(500, "middle", "always"),
  status(500, "last", "always"),
  status(500, "any", "once"),
  status(502, "any", "once"),
  status(503, "any", "always"),
  status(503, "any", "once", "-retry-after", { "retry-after": "30" }),
  status(429, "any", "once"),
  status(429, "any", "always"),
  status(429, "any", "once", "-retry-after", { "retry-after": "60" }),
  status(401, "any", "always"),
  status(403, "any", "always"),
  status(403, "any", "once", "-rate-limit", { "x-ratelimit-remaining": "0", "retry-after": "60" }),
  status(404, "first", "always"),
  status(404, "middle", "always"),
  status(404, "last", "always"),
  status(400, "last", "always"),
  status(408, "any", "once"),
  status(410, "last", "always"),
  {
    name: "status-429-retry-date-once",
    summary: "a page answers 429 once, with a date in Retry-After",
    plan(view) {
      const spot = spotAt(view, "any");
      const date = Date.parse(view.recording[spot?.exchange ?? -1]?.response.headers["date"] ?? "");
      if (spot === undefined || Number.isNaN(date)) return undefined;
      const headers = { "retry-after": new Date(date + 90_000).toUTCString() };
      return answering(view, spot, "once", () => jsonError(429, MESSAGES[429] ?? "", headers));
    },
  },
];
