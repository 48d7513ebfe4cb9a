/** What a connector made of one fault. */
export type FaultResult = ConnectorReport["faults"][number];

/** Verdicts of the kit on a connector. Plain JSON; as a template string, a table. */
export interface ConnectorReport {
  /** Whether nothing was WRONG. */
  readonly ok: boolean;
  /** The seed of the faults: the same one strikes the same pages. */
  readonly seed: number;
  /** What the connector made of each fault. */
  readonly faults: readonly {
    /** Name of the fault; `only: [name]` runs it again. */
    readonly fault: string;
    /** What the fault does. */
    readonly summary: string;
    /**
     * - `refused`: the run failed with an error and sent nothing, and the next run without the fault had the clean run's
     *   effect.
     * - `held`: the guard held the run, and the next one had the clean run's effect.
     * - `same`: the run completed with the clean run's effect.
     * - `WRONG`: it completed with another effect, failed while it was sent or did not end, the next run had another effect,
     *   or a secret leaked.
     * - `differs`: only of the row `against`, if the other version of the connector keeps no record that this one does not.
     * - `not-applicable`: the source has nothing that the fault could strike.
     */
    readonly verdict: "refused" | "held" | "same" | "WRONG" | "differs" | "not-applicable";
    /** How often the fault struck. */
    readonly fired: number;
    /**
     * `WRONG` and `differs`: how many records of which collection were removed, lost, emptied, changed, doubled, added or
     * kept, or what leaked, and the exchange that caused it. Ids are named; other contents of records are not.
     */
    readonly cause?: string | undefined;
    /** `refused` and `held`: message of the error. */
    readonly error?: string | undefined;
  }[];
  /** Of refused and held: what no fault has led to. */
  readonly neverSeen: readonly string[];
  /** Faults that were not run, and why. */
  readonly notRun: readonly { readonly fault: string; readonly reason: string }[];
  /** The table, at most 100 columns wide. */
  toString(): string;
}
