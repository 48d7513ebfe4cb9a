import type { SyncConfiguration } from "../configuration.js";
import type { Journal } from "./journal.js";
import type { SafetyOptions } from "./run-guard.js";

/** What the journal of a run is about. */
export interface RunJournalOptions extends Pick<SafetyOptions, "ledger"> {
  readonly installationId: string;
}

/** The journal of one run: in the directory of its ledger, and none where the ledger has no directory. */
export class RunJournal {
  readonly #options: RunJournalOptions;
  readonly #configuration: SyncConfiguration;
  readonly #abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  #loading: Promise<Journal> | undefined;
  #recovering: Promise<void> | undefined;

  constructor(
    options: RunJournalOptions,
    configuration: SyncConfiguration,
    abort: (batchId: string, signal: AbortSignal) => Promise<void>,
  ) {
    this.#options = options;
    this.#configuration = configuration;
    this.#abort = abort;
  }

  /** Aborts what processes of this journal left behind when they were killed. Never rejects. */
  recover(signal: AbortSignal): Promise<void> {
    this.#recovering ??= this.#recover(signal).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  /** A batch was started. Never rejects. */
  async opened(batchId: string): Promise<void> {
    await (await this.#journal())?.opened(this.#batch(batchId));
  }

  /**
   * A batch was ended. Never rejects.
   * @param released whether the server is known to have ended it
   */
  async ended(batchId: string, released: boolean): Promise<void> {
    const journal = await this.#journal();
    if (released) await journal?.closed(this.#batch(batchId));
    else await journal?.abandoned(this.#batch(batchId));
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const journal = await this.#journal();
    await journal?.recover({ ...this.#batch(""), abort: (batchId) => this.#abort(batchId, signal) });
  }

  #journal(): Promise<Journal> | undefined {
    const { ledger } = this.#options;
    if (typeof ledger !== "object" || !("directory" in ledger)) return undefined;
    const { directory } = ledger;
    if (typeof directory !== "string") return undefined;
    this.#loading ??= import("./journal.js").then(
      (module) => new module.Journal(directory, this.#configuration.logger),
    );
    return this.#loading;
  }

  #batch(batchId: string) {
    const { endpoint } = this.#configuration;
    return { endpoint: endpoint.origin, installationId: this.#options.installationId, batchId };
  }
}
