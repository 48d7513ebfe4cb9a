import type { VendorAnswer, VendorRequest } from "../vendor/messages.js";
import type { View } from "./fault.js";

/** What becomes of an answer; undefined if it has nothing to change. */
export type AnswerChange = (
  answer: VendorAnswer,
  request: VendorRequest,
  view: View,
) => VendorAnswer | undefined;

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

/** Another answer altogether: what described the old body goes. */
export function instead(status: number, body: string | Buffer, headers: Headers = JSON_TYPE): VendorAnswer {
  return { status, headers, body: Buffer.from(body) };
}

/** An error as vendors answer it. */
export function jsonError(status: number, message: string, headers: Headers = {}): VendorAnswer {
  const text = JSON.stringify({ error: { code: status, message } });
  return instead(status, text, { ...JSON_TYPE, ...headers });
}

export function error(status: number, headers?: Headers): AnswerChange {
  return () => jsonError(status, MESSAGES[status] ?? "Error", headers);
}

/** Another body with the same headers. */
export function body(change: (bytes: Buffer) => string | Buffer | undefined): AnswerChange {
  return ({ headers, body: bytes }) => {
    const changed = change(bytes);
    return changed === undefined ? undefined : instead(200, changed, headers);
  };
}

/** Another text of a file, made of its lines. */
export function file(change: (lines: readonly string[]) => string | Buffer | undefined): AnswerChange {
  return body((bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    return lines.length < FEWEST_LINES ? undefined : change(lines);
  });
}

export function clockBy(ms: number): AnswerChange {
  return (answer) => {
    const date = Date.parse(answer.headers["date"] ?? "");
    if (Number.isNaN(date)) return undefined;
    return { ...answer, headers: { ...answer.headers, date: new Date(date + ms).toUTCString() } };
  };
}

export const showsKey: AnswerChange = (_, { headers, url }) => {
  const header = headers["authorization"] ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["cookie"];
  return jsonError(401, `Incorrect API key provided: ${header?.replace(/^\w+ /, "") ?? url}`);
};

/** The recorded answer to a request of another kind. */
export const ofAnotherList: AnswerChange = (_answer, _request, { structure, recorded }) =>
  recorded(structure.listings[1]?.pages[0]?.exchange ?? structure.details[0]);

export const ofAnotherItem: AnswerChange = (_, { exchange }, { structure, recorded }) =>
  recorded(structure.details.find((other) => other !== exchange));

export function withRenamedColumn([header = "", ...rows]: readonly string[]): string | undefined {
  if (!COMMA.test(header)) return undefined;
  return [header.replace(COMMA, (comma) => `_v2${comma}`), ...rows].join("\n");
}
