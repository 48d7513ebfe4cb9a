import { bytesOf } from "../cassette/body.js";
import type { Exchange, RecordedResponse } from "../cassette/cassette.js";

/** A request as it reached the simulated vendor. */
export interface ReceivedRequest {
  readonly method: string;
  /** Absolute: the address that the connector asked for. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Its place in a run. */
export interface VendorRequest extends ReceivedRequest {
  /** From 1, within the run. */
  readonly number: number;
  /** How often the same exchange was asked for before, within the run. */
  readonly repeat: number;
  /** Index of the recorded exchange that answers it; undefined if none does. */
  readonly exchange: number | undefined;
}

/** What the simulated vendor sends, and how. */
export interface VendorAnswer {
  readonly status: number;
  /** Lower-case names. The server adds content-length, unless a fault sets it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they are sent, after any content-encoding. */
  readonly body: Buffer;
  /** Milliseconds of virtual time before the first byte. */
  readonly delayMs?: number | undefined;
  /** Ends the connection after this many bytes of the body; -1: before the status line. */
  readonly cutAfter?: number | undefined;
}

/** Bytes of recorded answers: the same ones are sent in each case. */
const ANSWERS = new WeakMap<RecordedResponse, VendorAnswer>();

export function recordedAnswer({ response }: Exchange): VendorAnswer {
  const known = ANSWERS.get(response);
  if (known !== undefined) return known;
  const answer = { status: response.status, headers: response.headers, body: bytesOf(response.body) };
  ANSWERS.set(response, answer);
  return answer;
}
