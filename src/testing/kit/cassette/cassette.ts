/** What a connector asked its vendor and what it was answered, on one or more days. Holds no secret and no personal data. */
export interface Cassette {
  readonly version: 1;
  /** The key of the fakes, sealed with a credential of the vendor: it opens for the next day's recording only. */
  readonly sealedKeys?: readonly string[] | undefined;
  /** The oldest day first. */
  readonly days: readonly CassetteDay[];
}

export interface CassetteDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** ISO 8601: a replay begins at this time. */
  readonly startedAt: string;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
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
