import type { RecordedBody, RecordedRequest } from "./cassette.js";

/** The fields of a body of HTML forms, as OAuth tokens are asked for; undefined if it is another body. */
export function formOf(headers: RecordedRequest["headers"], body: RecordedBody | undefined) {
  const isForm = headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  return isForm === true && body !== undefined && "text" in body ? new URLSearchParams(body.text) : undefined;
}
