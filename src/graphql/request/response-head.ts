import { parseRetryAfter } from "../../core/retry.js";

/** The declared type of a body. */
export interface DeclaredContent {
  /** As the server sent it, cut to a sane length: only what is judged. Undefined where it sent none. */
  readonly contentType: string | undefined;
  /** Whether it says JSON that can be read as UTF-8. */
  readonly json: boolean;
}

const JSON_TYPES = ["application/json", "application/graphql-response+json"];
const UTF8_CHARSETS = ["utf-8", "utf8", "us-ascii"];

/** What the last answer declared: nearly all declare the same. */
let last: DeclaredContent = { contentType: undefined, json: false };

/** Reads the content type; nothing else decides whether a body is parsed. */
export function readContentType(headers: Headers): DeclaredContent {
  const contentType = headers.get("content-type")?.slice(0, 200);
  if (contentType !== last.contentType) last = judgeContentType(contentType);
  return last;
}

function judgeContentType(contentType: string | undefined): DeclaredContent {
  if (contentType === undefined) return { contentType, json: false };
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((part) => part.startsWith("charset="))?.slice("charset=".length);
  const readable = charset === undefined || UTF8_CHARSETS.includes(charset.replaceAll('"', ""));
  return { contentType, json: readable && JSON_TYPES.includes(type) };
}

/** True where the server points elsewhere: a browser hides the status of a redirect that it was told not to follow. */
export function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

/** Milliseconds until `Retry-After`; undefined where the server does not say. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after");
  return value === null ? undefined : parseRetryAfter(value, now);
}
