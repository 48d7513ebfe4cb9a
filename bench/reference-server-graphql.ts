/**
 * CPU time of a page of 100 out of 100,000 licenses, over HTTP on loopback, client included.
 *
 *   npx tsx --tsconfig tsconfig.dev.json bench/reference-server-graphql.ts
 *
 * "after a change" is the first page after a collection has changed, "new question" the first one with a filter and an
 * order that were not asked for since. All other pages are cut out of cached lists.
 */

import { FaultInjector } from "../src/reference-server/faults/injector.js";
import { startGraphQLServer } from "../src/reference-server/graphql/server.js";
import { Batch } from "../src/reference-server/sync/batch.js";
import { Installation } from "../src/reference-server/sync/state.js";
import { TestClock } from "../src/reference-server/test-clock.js";
import { ApiKeys, type Collection, type MessageOf, Workspace } from "../src/reference-server/workspace.js";
import { SubscriptionModel } from "../src/sync/generated/contract.js";

const LICENSES = 100_000;
const PAGE = 100;
const ROUNDS = 200;
const COLD_ROUNDS = 10;

const numbers = Array.from({ length: LICENSES }, (_, i) => i);
const day = BigInt(Date.parse("2026-03-01")) / 1000n;

type Shown = "accounts" | "employees" | "plans" | "licenses" | "usage";
type Records = { readonly [K in Collection]?: readonly MessageOf<K>[] };

/** What a sync sends, as new objects like those of a decoder. Half of the accounts were used lately. */
function syncedRecords(sync: number): Records & { readonly [K in Shown]: readonly MessageOf<K>[] } {
  return {
    accounts: numbers.map((i) => ({
      variant: { $case: "generic", value: { id: `a${i}`, email: `User.${i}@acme.test`, roles: [] } },
    })),
    employees: numbers.map((i) => ({
      variant: {
        $case: "generic",
        value: {
          id: `e${i}`,
          fullName: `Employee ${(i * 7919) % LICENSES}`,
          email: `user.${i}@acme.test`,
          emailAliases: [],
          departmentPath: [],
          attributes: new Map(),
        },
      },
    })),
    plans: Array.from({ length: 50 }, (_, i) => ({
      variant: {
        $case: "generic",
        value: {
          id: `p${i}`,
          externalPlanName: `Plan ${i}`,
          attributes: new Map(),
          details: { model: SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED, seatBased: {} },
        },
      },
    })),
    licenses: numbers.map((i) => ({
      variant: {
        $case: "generic",
        value: { sourceId: `l${i}`, sourceAccountId: `a${i}`, sourcePlanId: `p${i % 50}`, billable: true },
      },
    })),
    usage: numbers.filter((i) => sync === 0 && i % 2 === 1).map((i) => usage(`u${i}`, i)),
  };
}

/** Every second use names the product, and so counts for the person. */
function usage(id: string, i: number): MessageOf<"usage"> {
  const externalProductName = i % 4 === 1 ? undefined : "Figma";
  const value = { id, sourceActorId: `a${i}`, externalProductName, lastActivity: { seconds: day, nanos: 0 } };
  return { variant: { $case: "generic", value } };
}

const workspace = new Workspace("w", {
  planPrices: Array.from({ length: 50 }, (_, i) => ({
    planName: `Plan ${i}`,
    annualPricePerSeat: `${(i * 37) % 500}.90`,
    currency: "EUR",
  })),
});
const installation = new Installation(workspace, "Figma", "i1");
workspace.installations.push(installation);
const batch = new Batch(1, 0);

function accept<C extends Collection>($case: C, records: readonly MessageOf<C>[]): void {
  installation.stores[$case].write(records, batch);
}

function acceptAll(records: Records): void {
  const { accounts = [], employees = [], plans = [], licenses = [], usage: events = [] } = records;
  accept("accounts", accounts);
  accept("employees", employees);
  accept("plans", plans);
  accept("licenses", licenses);
  accept("usage", events);
}

const first = syncedRecords(0);
acceptAll(first);
let events = 0;

/** A message of a sync with one record. */
const changes: Readonly<Record<string, () => void>> = {
  "an audit log": () => {
    events += 1;
    accept("auditLogs", [
      {
        variant: {
          $case: "generic",
          value: {
            id: `${events}`,
            action: "login",
            eventTime: { seconds: day, nanos: 0 },
            attributes: new Map(),
          },
        },
      },
    ]);
  },
  "a license": () => accept("licenses", first.licenses.slice(0, 1)),
  "a plan": () => accept("plans", first.plans.slice(0, 1)),
  "a use": () => {
    events += 1;
    accept("usage", [usage(`new ${events}`, events)]);
  },
  "an account": () => accept("accounts", first.accounts.slice(0, 1)),
  "an employee": () => accept("employees", first.employees.slice(0, 1)),
  "every record": () => acceptAll(syncedRecords(1)),
};

const keys = new ApiKeys();
const authorization = keys.create({ workspace, scope: "read", permissions: [] });
const clock = new TestClock({ startAt: new Date(Date.parse("2026-03-15T12:00:00Z")) });
const server = await startGraphQLServer({
  host: "127.0.0.1",
  port: 0,
  keys,
  faults: new FaultInjector(),
  clock,
  pageSize: 1000,
});

const query = `query ($after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {
  licenses(first: ${PAGE}, after: $after, where: $where, order: $order) {
    nodes {
      id
      state { ... on UnusedLicenseState { activity reason } ... on UsedLicenseState { activity } }
      holder { name email employeeId }
      plan { id name integration { name } }
      annualPrice { amount currency }
      potentialSaving { amount currency }
    }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;

interface Answer {
  readonly data: {
    readonly licenses: { readonly totalCount: number; readonly pageInfo: { readonly endCursor: string } };
  };
}

async function page(variables: object): Promise<Answer["data"]["licenses"]> {
  const response = await fetch(`http://127.0.0.1:${server.port}/graphql`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const answer: Answer = await response.json();
  return answer.data.licenses;
}

async function measure(rounds: number, variables: (round: number) => object): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const asked = variables(round);
    const begin = process.cpuUsage();
    await page(asked);
    const { user, system } = process.cpuUsage(begin);
    times.push((user + system) / 1000);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    (times[Math.min(rounds - 1, Math.floor(rounds * share))] ?? 0).toFixed(1).padStart(8);
  return `${at(0.5)}${at(0.95)}`;
}

const where = { state: { activity: { eq: "UNUSED" } }, holder: { name: { contains: "7" } } };
const order = [{ potentialSaving: { amount: "DESC" } }, { holder: { name: "ASC" } }];
const questions: Readonly<Record<string, object>> = {
  plain: {},
  filtered: { where },
  "filtered and sorted": { where, order },
};

console.log(`${"ms of CPU time per page".padEnd(50)}  median     p95`);
for (const [name, question] of Object.entries(questions)) {
  const first = await page(question);
  console.log(`${`${name}, first page`.padEnd(50)}${await measure(ROUNDS, () => question)}`);
  // Half way through the pages.
  let after = first.pageInfo.endCursor;
  for (let at = PAGE; at < first.totalCount / 2; at += PAGE) {
    after = (await page({ ...question, after })).pageInfo.endCursor;
  }
  console.log(
    `${`${name}, page in the middle`.padEnd(50)}${await measure(ROUNDS, () => ({ ...question, after }))}`,
  );
}
const newQuestion = (round: number) => ({
  where: { state: { activity: { eq: "UNUSED" } }, holder: { name: { ncontains: `x${round}` } } },
  order,
});
console.log(`${"new question, filtered and sorted".padEnd(50)}${await measure(COLD_ROUNDS, newQuestion)}`);
for (const [name, question] of Object.entries({ plain: {}, "filtered and sorted": { where, order } })) {
  for (const [what, change] of Object.entries(changes)) {
    const changed = () => {
      change();
      return question;
    };
    console.log(`${`${name}, after a change of ${what}`.padEnd(50)}${await measure(COLD_ROUNDS, changed)}`);
  }
}
await server.close();
