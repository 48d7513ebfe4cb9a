import type { BatchOptions } from "../batch/start.js";
import type { JudgeOptions } from "../guard/rules.js";
import type { CommitOptions } from "../run/options.js";
import type { Staging } from "./staging.js";

/** Options of {@link SyncClient.run}. */
export interface RunOptions extends CommitOptions, BatchOptions, JudgeOptions {
  /**
   * Keeps what the connector writes until all of it was judged: then it is sent, and nothing before. If the process dies
   * while it is sent, the next run sends it, and does not call the connector. A held run that is approved is not read
   * again. The connector is called once, without restarts.
   * @default records are sent while they are read
   */
  readonly staging?: Staging | undefined;
}
