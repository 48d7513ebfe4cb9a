import type { TextKind } from "./names.js";
import type { Kind } from "./records.js";
import type { SourceForm } from "./sources.js";

/** What a client's process writes, and where. */
export interface SyncTask {
  /** `http://` or `https://`, host and port. */
  readonly endpoint: string;
  /** File with the certificate to trust; omitted for plain text. */
  readonly caFile?: string;
  readonly kind: Kind;
  readonly text: TextKind;
  readonly form: SourceForm;
  readonly records: number;
  /** Records that are written first, so that the engine compiles the hot code. */
  readonly warmUp: number;
  /** Number of records in a message of about 1 MiB, for clients that count records. */
  readonly recordsPerMessage: number;
  /** Options of this SDK, with its defaults. */
  readonly messageBytes?: number;
  readonly windowBytes?: number;
}

/** Sends the records and resolves with how many the server accepted. */
export type Write = () => Promise<number>;

/** A connected client. */
export interface SyncPeer {
  /** Creates a source of this many records, and returns a function that writes them. */
  prepare(records: number): Write;
  close(): Promise<void>;
}

/** Makes a client and starts a batch. */
export type Connect = (task: SyncTask) => Promise<SyncPeer>;
