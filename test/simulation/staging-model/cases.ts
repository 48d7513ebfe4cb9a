/** What is explored, and what must come out of it. */
import { APPROVAL_RULES, type ApprovalRule, approvalModel } from "./approvals.js";
import type { Configuration } from "./commit/configuration.js";
import { LARGE, SMALL } from "./commit/configurations.js";
import { commitModel } from "./commit/model.js";
import { RULES, type Rule } from "./commit/rules.js";
import { extractModel } from "./extract/model.js";
import { EXTRACT_RULES, type ExtractRule } from "./extract/world.js";
import { listingModel, PROMOTIONS, READINGS } from "./listing.js";
import { ORDERS, orderModel } from "./order.js";
import type { Model } from "./search.js";

/** The protocol as it is: no violation. */
interface Case {
  readonly name: string;
  readonly model: () => Model;
}

/** The protocol without a rule: a violation, unless it is said why there is none. */
export interface Ablation extends Case {
  readonly without: string;
  readonly harmless?: string | undefined;
}

const services = (name: string, configuration: Configuration): readonly Case[] => [
  { name: `COMMIT, ${name}`, model: () => commitModel(configuration) },
  {
    name: `COMMIT, ${name}, a service that tells nothing`,
    model: () => commitModel({ ...configuration, tells: false }),
  },
];

const FAULTS = { crashes: 1, lostAnswers: 1, fullDisks: 1, cuts: 1, rots: 1, discards: 1 } as const;
const EXTRACT = { ...FAULTS, versions: [1, 1] } as const;
const UPGRADED = { ...FAULTS, versions: [1, 2] } as const;

const readings = [...keysOf(READINGS)].map((reading): Case => {
  return { name: `COMMIT 9, ${reading}`, model: () => listingModel({ promotion: "marker", reading }) };
});

/** In seconds each. */
export const CASES: readonly Case[] = [
  ...Object.entries(SMALL).flatMap(([name, configuration]) => services(name, configuration)),
  { name: "EXTRACT", model: () => extractModel(EXTRACT) },
  { name: "EXTRACT, two versions", model: () => extractModel(UPGRADED) },
  { name: "OPEN 3, 3 runs", model: () => orderModel({ runs: 3, order: "after" }) },
  {
    name: "OPEN 3, 3 runs, a list that misses some",
    model: () => orderModel({ runs: 3, order: "after", misses: true }),
  },
  { name: "APPROVAL", model: () => approvalModel() },
  ...readings,
];

/** In minutes, beside {@link CASES}. */
export const LARGE_CASES: readonly Case[] = Object.entries(LARGE).flatMap(([name, configuration]) =>
  // Without a discard, nobody else wants the fate: that step would only add states.
  services(name, { ...configuration, without: ["COMMIT 3 fate"] }),
);

/** The smallest configuration that shows what a rule is for. */
const SHOWN_BY: Readonly<Record<Rule, Configuration>> = {
  "COMMIT 2 token": SMALL["2 runs"],
  "COMMIT 2 batches": SMALL["2 runs"],
  "COMMIT 3 fate": SMALL["2 committers + discard"],
  "COMMIT 5a receipt": SMALL["2 committers of a run"],
  "COMMIT 5b completed": { ...SMALL["1 committer"], tells: false },
  "COMMIT 5c pending": SMALL["1 committer"],
  "COMMIT 5d order": SMALL["committer + plain run"],
  "COMMIT 5d pendings": SMALL["committer + plain run"],
  "COMMIT 5e token": SMALL["2 runs"],
  "COMMIT 5f sequence": SMALL["2 runs"],
  "COMMIT 7 first": SMALL["1 committer"],
  "COMMIT 7 batch": SMALL["2 committers of a run"],
  "COMMIT 8 unclear": { ...SMALL["1 committer"], tells: false },
  "COMMIT 9 sequence": SMALL["2 plain runs"],
  "COMMIT 10 watermarks": SMALL["1 committer"],
  "COMMIT 10 receipt": SMALL["1 committer"],
  "PLAIN lock": SMALL["2 plain runs"],
  "PLAIN sequence": SMALL["2 plain runs"],
  "PLAIN ledger": SMALL["committer + plain run"],
};

const HARMLESS: Readonly<Record<string, string>> = {
  "COMMIT 5f sequence": "while the token names batches, an unchanged one means an unchanged sequence",
  "COMMIT 5a receipt":
    "5b to 5d find out too; the receipt only gives the right answer: committed, not superseded",
  "EXTRACT fate": "the segment lies where nobody reads it; the rule saves the vendor's calls",
  "EXTRACT replace": "COMMIT 6 hash aborts and judges again; the rule keeps a late worker from causing that",
};

export const ABLATIONS: readonly Ablation[] = [
  ...keysOf(RULES).map((rule) =>
    ablation(rule, RULES[rule], () => commitModel({ ...SHOWN_BY[rule], without: [rule] })),
  ),
  ...keysOf(EXTRACT_RULES).map((rule: ExtractRule) =>
    ablation(rule, EXTRACT_RULES[rule], () =>
      extractModel({ ...(rule === "OPEN 2 equal" ? UPGRADED : EXTRACT), without: [rule] }),
    ),
  ),
  ...keysOf(ORDERS)
    .filter((order) => order !== "after")
    .map((order) =>
      ablation(`OPEN 3: ${order}`, ORDERS[order], () =>
        orderModel({ runs: 2, order, skew: order === "clock" ? 3 : 0 }),
      ),
    ),
  ...keysOf(APPROVAL_RULES).map((rule: ApprovalRule) =>
    ablation(rule, APPROVAL_RULES[rule], () => approvalModel([rule])),
  ),
  ...keysOf(PROMOTIONS)
    .filter((promotion) => promotion !== "marker")
    .map((promotion) =>
      ablation(`COMMIT 9: ${promotion}`, PROMOTIONS[promotion], () =>
        listingModel({ promotion, reading: "pages" }),
      ),
    ),
];

function ablation(name: string, without: string, model: () => Model): Ablation {
  return { name, without, model, harmless: HARMLESS[name] };
}

/** The keys of an object that has no others. */
function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = [];
  for (const key in table) keys.push(key);
  return keys;
}
