import { Lazy } from "../../core/lazy.js";
import { type Apart, withinGrace } from "../cleanup-grace.js";
import type { SafetyOptions } from "../guard/safety-options.js";
import type { SyncConfiguration } from "../options.js";
import type { Journal } from "./journal.js";

/** What the journal of a run is about. */
export interface RunJournalOptions extends Pick<SafetyOptions, "ledger"> {
  readonly installationId: string;
}

/** The journal of one run: in the directory of its ledger, and none where the ledger has no directory. */
export class RunJournal {
  readonly #options: RunJournalOptions;
  readonly #configuration: SyncConfiguration;
  readonly #abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  /** None where the ledger has no directory. */
  readonly #journal: Lazy<Journal> | undefined;
  #recovering: Promise<void> | undefined;
  #opening: Promise<void> = Promise.resolve();

  constructor(
    options: RunJournalOptions,
    configuration: SyncConfiguration,
    abort: (batchId: string, signal: AbortSignal) => Promise<void>,
  ) {
    this.#options = options;
    this.#configuration = configuration;
    this.#abort = abort;
    const directory = directoryOf(options);
    if (directory === undefined) return;
    this.#journal = new Lazy("What the journal of runs needs", async () => {
      const { Journal } = await import("./journal.js");
      return new Journal(directory, configuration.logger);
    });
  }

  /**
   * Aborts what processes of this journal left behind when they were killed. Never rejects, and takes a few seconds at
   * most beside the time of the aborts. One that goes on after that is not begun again beside it: each would hold up a
   * thread of the process.
   */
  recover(signal: AbortSignal): Promise<void> {
    this.#recovering ??= this.#within(
      (apart) =>
        this.#recover(signal, apart).finally(() => {
          this.#recovering = undefined;
        }),
      "the journal does not answer; batches of processes that were killed end with their lease",
    );
    return this.#recovering;
  }

  /** A batch was started. Never rejects, and takes a few seconds at most. */
  opened(batchId: string): Promise<void> {
    this.#opening = this.#opened(batchId);
    return this.#within(
      () => this.#opening,
      "the journal does not answer; if this process is killed its batch's lock ends with the lease",
      { batchId },
    );
  }

  /**
   * A batch was ended. Never rejects, and takes a few seconds at most.
   * @param released whether the server is known to have ended it
   */
  ended(batchId: string, released: boolean): Promise<void> {
    return this.#within(
      () => this.#ended(batchId, released),
      "the journal could not note that a batch has ended; the next run finds out",
      { batchId },
    );
  }

  /** The journal only helps, and may be on a disk that does not answer: then the run goes on, and the log says so. */
  async #within(
    step: (apart: Apart) => Promise<void>,
    failed: string,
    details: { readonly batchId?: string } = {},
  ): Promise<void> {
    if (this.#journal === undefined) return;
    const { clock, logger } = this.#configuration;
    try {
      await withinGrace(clock, (_over, apart) => step(apart));
    } catch (error) {
      logger.warn(`saas-management: ${failed}`, { ...details, error });
    }
  }

  async #opened(batchId: string): Promise<void> {
    await (await this.#loaded())?.opened(this.#batch(batchId));
  }

  async #ended(batchId: string, released: boolean): Promise<void> {
    // An entry that is written afterwards would stay.
    await this.#opening;
    const journal = await this.#loaded();
    if (released) await journal?.closed(this.#batch(batchId));
    else await journal?.abandoned(this.#batch(batchId));
  }

  async #recover(signal: AbortSignal, apart: Apart): Promise<void> {
    const journal = await this.#loaded();
    const abort = (batchId: string) => apart(() => this.#abort(batchId, signal));
    await journal?.recover({ ...this.#batch(""), abort });
  }

  /** The journal; undefined where there is none, and where it cannot be loaded: it only helps. */
  async #loaded(): Promise<Journal | undefined> {
    try {
      return await this.#journal?.load();
    } catch (error) {
      this.#configuration.logger.warn(
        "saas-management: the journal could not be loaded; if this process is killed its batch's lock ends with the lease",
        { error },
      );
      return undefined;
    }
  }

  #batch(batchId: string) {
    const { endpoint } = this.#configuration;
    return { endpoint: endpoint.origin, installationId: this.#options.installationId, batchId };
  }
}

function directoryOf({ ledger }: RunJournalOptions): string | undefined {
  if (typeof ledger !== "object" || !("directory" in ledger)) return undefined;
  return typeof ledger.directory === "string" ? ledger.directory : undefined;
}
