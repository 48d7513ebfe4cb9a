import type { GuardOptions } from "@saas-management/sdk";
import { resolveGuard } from "../../../src/sync/guard/rules.js";
import { simulateInstallation } from "./installation.js";
import { ORGANISATIONS, type Organisation } from "./organisations.js";
import { Random } from "./random.js";
import { Tally } from "./tally.js";

export interface ChurnOptions {
  readonly seed: number;
  readonly years: number;
  readonly disastersAYear: number;
  readonly guard?: GuardOptions;
  readonly organisations?: readonly Organisation[];
}

/** Runs each organisation for some years, judged by the shipped rules. */
export function simulateChurn({
  seed,
  years,
  disastersAYear,
  guard = {},
  organisations = ORGANISATIONS,
}: ChurnOptions): Tally {
  const rule = resolveGuard(guard, 0).ruleOf("accounts");
  if (rule === undefined) throw new Error("The guard is off.");
  const tally = new Tally();
  const random = new Random(seed);
  for (const organisation of organisations)
    simulateInstallation(
      organisation,
      random.fork(organisation.name),
      { years, rule, disastersAYear },
      tally,
    );
  return tally;
}
