import type { ClientOptions } from "../../client.js";
import type { Collection } from "../../sync/collections.js";

/** The configuration of the command line, in `saas-management.config.{ts,js,json}`. */
export interface CliConfig extends ClientOptions {
  /** A shell command that prints the API key. @default none: the key comes from the environment, a file or a profile */
  readonly credentialCommand?: string | undefined;
  /** Directory of the ledger, relative to this file. @default that of `fileLedger()` */
  readonly ledger?: string | undefined;
  /** What `push` sends. @default none: the command names the files, and headings are names of fields */
  readonly push?:
    | {
        readonly [C in Collection]?: {
          /** A CSV, TSV or JSONL file, or the files that together have all records, relative to this file. */
          readonly file?: string | readonly string[] | undefined;
          /** The field of each column that is sent, such as `{ "E-Mail": "email" }`. @default headings are fields */
          readonly fields?: Readonly<Record<string, string>> | undefined;
          /** The character between cells. @default a comma, in a TSV file a tab */
          readonly delimiter?: string | undefined;
          /** Encoding of a CSV file. @default "utf-8" */
          readonly encoding?: "utf-8" | "utf-16le" | "windows-1252" | undefined;
        };
      }
    | undefined;
}

/**
 * Infers the type of a configuration.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   syncUrl: "https://sync.example.com",
 *   push: { accounts: { file: "users.csv", fields: { "User ID": "id", "E-Mail": "email" } } },
 * });
 * ```
 * @returns the same object
 */
export function defineConfig(config: CliConfig): CliConfig {
  return config;
}
