import { redactSecrets } from "../../../core/redact.js";
import { type Connector, readConnector } from "../../../runs/connector.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import { readRuns } from "../cassette/cassette-file.js";
import { type ConnectorReport, connectorReport, type FaultResult } from "../report.js";
import { Unhandled } from "../run/output.js";
import type { RunResult, RunSetup } from "../run/run.js";
import { openServers, type Servers } from "../run/servers.js";
import { type CleanRuns, runClean } from "./clean-runs.js";
import { type KitOptions, type ResolvedKitOptions, readKitOptions } from "./options.js";
import { describeInjected, endlessOf, leaksOf, limited } from "./requests.js";
import { describeSource, type Row, rowsOf, type Source } from "./rows.js";
import { judge } from "./verdict.js";

const IDLE = "not injected: please report this error of the kit";
const LATE_TURNS = 10;
const SEEN = ["refused", "held"] as const;

/** The runs of one connector on one source. */
export class Session {
  readonly #results: FaultResult[] = [];
  readonly #notRun: { readonly fault: string; readonly reason: string }[] = [];
  readonly #seen = new Set<string>();
  /** Work that a connector didn't wait for may fail between the runs, and must not end the process. */
  readonly #unhandled = new Unhandled(() => {});

  private constructor(
    readonly connector: Connector<SnapshotCollection>,
    readonly options: ResolvedKitOptions,
    readonly rows: readonly Row[],
    readonly servers: Servers,
    readonly clean: CleanRuns,
  ) {}

  /**
   * Runs the connector without a fault, unless an earlier session did.
   * @throws {InvalidInputError | ConfigurationError} an option or the cassette is invalid
   * @throws {Error} the connector fails without a fault
   */
  static async open(
    caller: string,
    given: Connector<SnapshotCollection>,
    kitOptions: KitOptions,
    known?: CleanRuns,
  ): Promise<Session> {
    const connector = readConnector(caller, given);
    const options = readKitOptions(caller, kitOptions);
    const { cassette, guard } = options;
    const runs = cassette === undefined ? [] : await readRuns(cassette);
    const servers = await openServers();
    try {
      const clean = known ?? (await runClean(servers, connector, runs, guard));
      const rows = rowsOf(caller, options, clean.setup.recording?.exchanges);
      return new Session(connector, options, rows, servers, clean);
    } catch (error) {
      await servers[Symbol.asyncDispose]();
      throw error;
    }
  }

  async runAll(): Promise<void> {
    for (const row of this.rows) {
      const result = this.options.except[row.name] ?? (await this.run(row).catch(whyIdle));
      if (typeof result === "object") this.#results.push(result);
      else this.#notRun.push({ fault: row.name, reason: result });
    }
  }

  get report(): ConnectorReport {
    return connectorReport({
      seed: this.options.seed,
      source: describeSource(this.#source),
      faults: this.#results,
      neverSeen: this.options.only === undefined ? SEEN.filter((what) => !this.#seen.has(what)) : [],
      notRun: this.#notRun,
    });
  }

  async close(): Promise<void> {
    await this.servers[Symbol.asyncDispose]();
    for (let turn = 0; turn < LATE_TURNS; turn += 1) await new Promise(setImmediate);
    this.#unhandled.end();
  }

  /**
   * Returns the result, or the reason why the fault can't be run.
   * @throws {Error} the fault was not injected: a bug in the kit
   */
  async run(row: Row): Promise<FaultResult | string> {
    const { name: fault, summary, kind } = row;
    const { setup, problem, unread } = this.clean;
    if (kind !== "fault") {
      const cause = kind === "clean" ? problem : unread.length === 0 ? undefined : unread.join("; ");
      const judged =
        cause === undefined ? { verdict: "same" as const } : { verdict: "WRONG" as const, cause };
      return { fault, summary, fired: 0, ...judged };
    }
    if (problem !== undefined) return "runs without a fault differ";
    const injected = row.inject(this.#source) ?? "the source has no place for it";
    if (typeof injected === "string") return injected;
    if (injected.injected?.seenByGuardOnly === true && !this.#isGuarded)
      return "only a guard could notice it, but the runs have none";
    const result = await this.servers.run(this.connector, limited({ ...setup, ...injected }));
    if (result.fired === 0) throw new IdleFault(row);
    const next = result.outcome === "completed" ? undefined : await result.nextRun();
    this.#seen.add(result.outcome);
    const verdict = judge(
      {
        end: result.outcome,
        error: result.error,
        effect: result.effect,
        hasSent: result.hasSent,
        next,
        injected: causeOf(row, { ...setup, ...injected }, result),
        endless: endlessOf(setup, result),
        leaks: [...new Set([result, ...(next === undefined ? [] : [next])].flatMap(leaksOf))],
        excuses: row.excuses,
      },
      this.clean.expected,
    );
    return { fault, summary, fired: result.fired, ...redacted(verdict, result) };
  }

  get #source(): Source {
    const { setup, result } = this.clean;
    return { recording: setup.recording?.exchanges, records: Object.fromEntries(result.records) };
  }

  get #isGuarded(): boolean {
    return this.options.guard !== false && this.connector.snapshots.length > 0;
  }
}

function whyIdle(error: unknown): string {
  if (error instanceof IdleFault) return IDLE;
  throw error;
}

/** A fault that was not injected proves nothing. */
class IdleFault extends Error {
  constructor({ name, summary }: Row) {
    super(
      `The fault ${name} (${summary}) was not injected. This is an error of the kit, not of the connector.`,
    );
  }
}

function causeOf({ summary }: Row, { recording, records }: RunSetup, result: RunResult): string {
  const exchange = recording && describeInjected(result, recording.exchanges);
  return exchange ?? records?.cause ?? summary;
}

function redacted(
  { verdict, cause, error }: Pick<FaultResult, "verdict" | "cause" | "error">,
  { credentials }: RunResult,
): Pick<FaultResult, "verdict" | "cause" | "error"> {
  const clean = (text: string) => redactSecrets(text, credentials);
  return {
    verdict,
    ...(cause === undefined ? {} : { cause: clean(cause) }),
    ...(error === undefined ? {} : { error: clean(error) }),
  };
}
