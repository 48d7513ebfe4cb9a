import type { ClientOptions } from "../client.js";
import type { Collection, RecordOf } from "../sync/collections.js";

/**
 * The command line's configuration: the default export of `saas-management.config.{ts,mts,js,mjs}`, or
 * `saas-management.config.json`.
 *
 * @example
 * ```ts
 * export default {
 *   syncUrl: "https://sync.example.com",
 *   push: [
 *     {
 *       collection: "accounts",
 *       file: "users.csv",
 *       // "" is refused as an address.
 *       map({ Number: id = "", "E-Mail": email }) {
 *         return { id, email: email || null };
 *       },
 *     },
 *   ],
 * } satisfies CliConfig;
 * ```
 */
export interface CliConfig extends ClientOptions {
  /** Directory of the ledger, relative to this file. @default the directory of `fileLedger()` */
  readonly ledger?: string | undefined;
  /** The files that `push` sends. @default none: name them on the command line */
  readonly push?:
    | readonly {
        readonly [C in Collection]: {
          /** Name of the collection. */
          readonly collection: C;
          /** A CSV or JSONL file, or files that together have all records; paths are relative to this file. */
          readonly file: string | readonly string[];
          /**
           * Turns a row of a CSV file (an object of cells by heading) into a record, or returns undefined to skip it.
           * @default headings are field names
           */
          readonly map?: ((row: Readonly<Record<string, string>>) => RecordOf<C> | undefined) | undefined;
          /** Encoding of the file. @default "utf-8" */
          readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | undefined;
          /** The character between a CSV file's cells. @default the most frequent in its first line: , ; | or a tab */
          readonly delimiter?: string | undefined;
          /**
           * Whether a file without records counts as an empty collection.
           * @default false: such a file is refused, unless it is for events and every heading is a field
           */
          readonly allowEmpty?: boolean | undefined;
        };
      }[Collection][]
    | undefined;
}
