/** Records that others refer to are missing. No other rule would hold a run for so few missing records. */
import { fileLedger, type RunOptions, type RunReceipt } from "@saas-management/sdk";
import { heldBy, type TestService } from "../../../support/test-service.js";
import { type Attack, attack, COUNT, type Ending, held, people, testAttacks, WHOLE } from "./attacks.js";
import { licenses, plans } from "./records.js";

const PLANS = ["basic", "team", "pro"];
const REST = ["basic", "pro"];
const ALL = licenses(0, COUNT, (i) => ({ sourcePlanId: PLANS[i % 3] ?? "" }));

interface Sent {
  readonly planIds?: readonly string[];
  /** The first account that is sent; all accounts have a license. */
  readonly from?: number;
}

testAttacks([
  licensed("one of three plans is missing", dangling("sourcePlanId"), { planIds: REST }),
  licensed("one of three plans is missing, and the ledger hashes ids", dangling("sourcePlanId"), {
    planIds: REST,
    hashIds: true,
  }),
  licensed("a quarter of the accounts is missing, and `removed` is off", dangling("sourceAccountId"), {
    from: 11,
    guard: { collections: { accounts: { removed: false, window: false } } },
  }),
  licensed("a layoff of 12%, and the licenses linger", removed("accounts", 5), { from: 5 }),
  licensed("a plan is missing, `changed` is off", removed("plans", 1), {
    planIds: REST,
    guard: { changed: false },
  }),
  attack(
    "a vendor retires a plan before its licenses, and the next day is quiet",
    { ...removed("plans", 1), allowedBy: "approval" },
    {
      prepare: (service) => send(service),
      attack: async (service) => {
        const { approvalId: approve } = await heldBy(send(service, { planIds: REST }));
        const approved = await send(service, { planIds: REST }, { approve });
        return [approved, await send(service, { planIds: REST })];
      },
    },
  ),
  attack("licenses come alone once, and then together with their accounts and plans", WHOLE, {
    prepare: (service) => send(service),
    attack: async (service) => {
      const alone = await service.run(["licenses"], (batch) => batch.write("licenses", ALL));
      return [alone, await send(service)];
    },
  }),
]);

function dangling(field: string): Ending {
  return held({ collection: "licenses", rule: "changed", fields: [field], removed: 0 });
}

function removed(collection: "accounts" | "plans", count: number) {
  return { kind: "reported", collection, removed: count } as const;
}

/** A run of accounts, plans and their licenses, and then a different one. */
function licensed(
  name: string,
  ending: Ending,
  { hashIds = false, guard, ...sent }: Sent & { readonly hashIds?: boolean; readonly guard?: object },
): Attack {
  const options = ({ directory }: TestService) =>
    hashIds ? { ledger: fileLedger(`${directory}/hashed`, { hashIds }) } : {};
  return attack(name, ending, {
    prepare: (service) => send(service, {}, { ...options(service), firstRun: hashIds }),
    attack: (service) => send(service, sent, { ...options(service), ...(guard && { guard }) }),
  });
}

function send(
  service: TestService,
  { planIds = PLANS, from = 0 }: Sent = {},
  options: Partial<RunOptions> = {},
): Promise<RunReceipt> {
  return service.run(
    ["accounts", "plans", "licenses"],
    async (batch) => {
      await batch.write("accounts", people(from));
      await batch.write("plans", plans(...planIds));
      await batch.write("licenses", ALL);
    },
    options,
  );
}
