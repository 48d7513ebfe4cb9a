/**
 * What a connector asked its vendor and what it was answered. All strings are fakes, but for those that `kept` lists,
 * numbers, booleans and times; what the connector brought along itself is `own`.
 */
export interface Cassette {
  readonly version: 2;
  /** Goes into the digests of what the connector brought along. */
  readonly salt: string;
  /** Strings that are not replaced: they repeat like those of an enum, or the author has named their field. */
  readonly kept: readonly string[];
  /** Runs that follow each other: one, or a second one from the watermarks of the first. */
  readonly runs: readonly RecordedRun[];
}

export interface RecordedRun {
  /** ISO 8601: when the run began, and what time it is when it is played. */
  readonly startedAt: string;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
  /** As the cassette has them. */
  readonly salt?: string | undefined;
  readonly kept?: readonly string[] | undefined;
}

export interface Exchange {
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

export interface RecordedRequest {
  readonly method: string;
  /** Absolute: the vendor's own address. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RecordedBody | undefined;
}

export interface RecordedResponse {
  readonly status: number;
  /** Lower-case names. Several `set-cookie` are lines of one value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RecordedBody;
}

/** A decoded body: JSON where it is JSON, so that a cassette can be read and compared. */
export type RecordedBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly base64: string };
