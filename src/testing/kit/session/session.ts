import { redactSecrets } from "../../../core/redact.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import { type Connector, readConnector } from "../../../sync/run/connector.js";
import type { CaseResult, CaseSetup } from "../case/setup.js";
import { openStage, type Stage } from "../case/stage.js";
import { Unhandled } from "../case/unhandled.js";
import { readCassette } from "../cassette/cassette-file.js";
import { compareEffects, describeChanges } from "../effect/compare.js";
import type { ConnectorReport, FaultResult } from "../report.js";
import { connectorReport } from "../report-table.js";
import { type CleanRuns, runClean } from "./clean-runs.js";
import { leaksOf } from "./leaks.js";
import { type KitOptions, type ResolvedKitOptions, readKitOptions } from "./options.js";
import { describeStruck, endlessOf, limited } from "./requests.js";
import { type Row, rowsOf } from "./rows.js";
import { judge } from "./verdict.js";

const IDLE = "it struck nothing: an error of the kit, please report it";
const LATE_TURNS = 10;
const SEEN = ["refused", "held"] as const;

/** The cases of one connector on one source. */
export class Session {
  readonly #results: FaultResult[] = [];
  readonly #notRun: { readonly fault: string; readonly reason: string }[] = [];
  readonly #seen = new Set<string>();
  /** What a connector did not wait for may fail between the cases, and must not end the process. */
  readonly #unhandled = new Unhandled(() => {});

  private constructor(
    readonly connector: Connector<SnapshotCollection>,
    readonly options: ResolvedKitOptions,
    readonly rows: readonly Row[],
    readonly stage: Stage,
    readonly clean: CleanRuns,
  ) {}

  /**
   * Runs the connector without a fault.
   * @throws {InvalidInputError | ConfigurationError} an option or the cassette is not usable
   * @throws {Error} the connector fails without a fault
   */
  static async open(
    caller: string,
    given: Connector<SnapshotCollection>,
    kitOptions: KitOptions,
  ): Promise<Session> {
    const connector = readConnector(caller, given);
    const options = readKitOptions(caller, kitOptions);
    const { cassette, guard } = options;
    const days = cassette === undefined ? [] : (await readCassette(cassette)).days;
    const [yesterday, recording] = [days.at(-2), days.at(-1)];
    const rows = rowsOf(caller, options, recording?.exchanges);
    const stage = await openStage();
    try {
      const clean = await runClean(stage, connector, { recording, yesterday, guard });
      return new Session(connector, options, rows, stage, clean);
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @throws {Error} the fault struck nothing: an error of the kit */
  async run(row: Row): Promise<FaultResult> {
    const result = await this.#resultOf(row);
    this.#results.push(result);
    return result;
  }

  /** Runs all rows. If clean runs differ already, nothing can be said about the others. */
  async runAll(): Promise<void> {
    for (const row of this.rows) {
      const isComparable = this.clean.problem === undefined || row.kind === "clean";
      const reason = isComparable
        ? await this.run(row).then(() => undefined, whyIdle)
        : "runs without a fault differ";
      if (reason !== undefined) this.#notRun.push({ fault: row.name, reason });
    }
  }

  get report(): ConnectorReport {
    return connectorReport({
      seed: this.options.seed,
      faults: this.#results,
      neverSeen: SEEN.filter((what) => !this.#seen.has(what)),
      notRun: this.#notRun,
    });
  }

  async close(): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    for (let turn = 0; turn < LATE_TURNS; turn += 1) await new Promise(setImmediate);
    this.#unhandled.end();
  }

  async #resultOf(row: Row): Promise<FaultResult> {
    const { name: fault, summary, kind } = row;
    const idle = { fault, summary, verdict: "not-applicable", fired: 0 } as const;
    const { setup, result: clean, problem } = this.clean;
    if (kind === "clean")
      return problem === undefined
        ? { ...idle, verdict: "same" }
        : { ...idle, verdict: "WRONG", cause: problem };
    if (kind === "against") return { ...idle, ...(await this.#compare()) };
    const struck = row.strike({
      recording: setup.recording?.exchanges,
      records: Object.fromEntries(clean.records),
    });
    if (struck === undefined || this.#isUnseen(struck)) return idle;
    const result = await this.stage.run(this.connector, limited({ ...setup, ...struck }));
    if (result.fired === 0) throw new IdleFault(row);
    const next = result.outcome === "completed" ? undefined : await result.nextNight();
    this.#seen.add(result.outcome);
    const verdict = judge(
      {
        end: result.outcome,
        error: result.error,
        effect: result.effect,
        hasSent: result.hasSent,
        next,
        struck: struckBy(row, { ...setup, ...struck }, result),
        endless: endlessOf(setup, result),
        leaks: [...new Set([result, ...(next === undefined ? [] : [next])].flatMap(leaksOf))],
        excuses: row.excuses,
      },
      this.clean.expected,
    );
    return { fault, summary, fired: result.fired, ...redacted(verdict, result) };
  }

  /** Whether only a guard could see the fault, and there is none. */
  #isUnseen({ struck }: CaseSetup): boolean {
    const isGuarded = this.options.guard !== false && this.connector.snapshots.length > 0;
    return struck?.seenByGuardOnly === true && !isGuarded;
  }

  /** What this version of the connector does otherwise than the other one. */
  async #compare(): Promise<Pick<FaultResult, "verdict" | "cause">> {
    const { against } = this.options;
    if (against === undefined) return { verdict: "not-applicable" };
    const other = await this.stage.run(against, this.clean.setup);
    if (other.outcome !== "completed")
      return { verdict: "differs", cause: "the other version does not complete" };
    const { effect, volatile } = this.clean.expected;
    const changes = compareEffects(effect, other.effect, volatile);
    if (changes.length === 0) return { verdict: "same" };
    const isLoss = changes.some(({ kind }) => kind === "removed" || kind === "lost");
    return { verdict: isLoss ? "WRONG" : "differs", cause: `this version: ${describeChanges(changes)}` };
  }
}

function whyIdle(error: unknown): string {
  if (error instanceof IdleFault) return IDLE;
  throw error;
}

/** A fault that struck nothing proves nothing. */
class IdleFault extends Error {
  constructor({ name, summary }: Row) {
    super(
      `The fault ${name} (${summary}) struck nothing. This is an error of the kit, not of the connector.`,
    );
  }
}

function struckBy({ summary }: Row, { recording, records }: CaseSetup, result: CaseResult): string {
  const exchange = recording && describeStruck(result, recording.exchanges);
  return exchange ?? records?.cause ?? summary;
}

function redacted(
  { verdict, cause, error }: Pick<FaultResult, "verdict" | "cause" | "error">,
  { credentials }: CaseResult,
): Pick<FaultResult, "verdict" | "cause" | "error"> {
  const clean = (text: string) => redactSecrets(text, credentials);
  return {
    verdict,
    ...(cause === undefined ? {} : { cause: clean(cause) }),
    ...(error === undefined ? {} : { error: clean(error) }),
  };
}
