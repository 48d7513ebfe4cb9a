/**
 * Prints what the reference server costs a test, in milliseconds and in CPU time: the median of several runs in one
 * process.
 *
 * Arguments: a {@link ServerTask} as JSON.
 */
import { SaasManagementClient } from "@saas-management/sdk";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";

export interface ServerTask {
  /** `start` is the first server of the process, `start again` a later one. */
  readonly measure: "start" | "start again" | "plain page" | "filtered page" | "filtered page, account";
  readonly licenses: number;
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

const TIMES = 7;
const DAY = "2026-03-01T00:00:00Z";
const QUERY = `query ($where: LicenseFilterInput, $order: [LicenseSortInput!]) {
  licenses(first: 100, where: $where, order: $order) {
    nodes {
      id
      state { ... on UnusedLicenseState { activity reason } ... on UsedLicenseState { activity } }
      holder { name email employeeId }
      plan { id name }
      potentialSaving { amount currency }
    }
    pageInfo { endCursor }
    totalCount
  }
}`;
const FILTERED = {
  where: { state: { activity: { eq: "UNUSED" } }, holder: { name: { contains: "7" } } },
  order: [{ potentialSaving: { amount: "DESC" } }, { holder: { name: "ASC" } }],
};

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const since = performance.now();
  await work();
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

function median(costs: readonly Cost[]): Cost | undefined {
  return costs.toSorted((a, b) => a.cpuMs - b.cpuMs)[Math.floor(costs.length / 2)];
}

async function startAndStop(use: (server: ReferenceServer) => Promise<void> = async () => {}): Promise<Cost> {
  let server: ReferenceServer | undefined;
  const start = await cost(async () => {
    server = await startReferenceServer();
  });
  if (server === undefined) throw new Error("No server has started.");
  await use(server);
  const stop = await cost(() => server?.close() ?? Promise.resolve());
  return { ms: start.ms + stop.ms, cpuMs: start.cpuMs + stop.cpuMs };
}

async function page({ baseUrl, apiKey }: ReferenceServer, variables: object): Promise<void> {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: "POST",
    headers: { authorization: apiKey, "content-type": "application/json" },
    body: JSON.stringify({ query: QUERY, variables }),
  });
  const { errors } = await response.json();
  if (errors !== undefined) throw new Error("The server has refused the page.");
}

/** Leaves its client open, as tests do: the server's close must not wait for it. */
async function useBoth(server: ReferenceServer): Promise<void> {
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  await page(server, {});
  const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
  const batch = await client.sync.startBatch({ installationId });
  await batch.write("accounts", [{ id: "1" }]);
  await batch.complete();
}

async function measurePages({ licenses, measure: what }: ServerTask): Promise<Cost | undefined> {
  const prices = Array.from({ length: 50 }, (_, i) => ({
    planName: `Plan ${i}`,
    annualPricePerSeat: `${(i * 37) % 500}.90`,
    currency: "EUR",
  }));
  await using server = await startReferenceServer({ portfolio: { planPrices: prices } });
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
  const numbers = Array.from({ length: licenses }, (_, i) => i);
  const license = (i: number) => ({
    sourceId: `l${i}`,
    sourceAccountId: `a${i}`,
    sourcePlanId: `p${i % 50}`,
    billable: true,
  });
  const batch = await client.sync.startBatch({ installationId });
  await batch.write(
    "plans",
    prices.map(({ planName }, i) => ({
      id: `p${i}`,
      externalPlanName: planName,
      details: { model: "SEAT_BASED" as const, seatBased: {} },
    })),
  );
  await batch.write(
    "accounts",
    numbers.map((i) => ({ id: `a${i}`, email: `User.${i}@acme.test` })),
  );
  await batch.write(
    "employees",
    numbers.map((i) => ({
      id: `e${i}`,
      fullName: `Employee ${(i * 7919) % licenses}`,
      email: `user.${i}@acme.test`,
    })),
  );
  await batch.write("licenses", numbers.map(license));
  await batch.write(
    "usage",
    numbers
      .filter((i) => i % 2 === 1)
      .map((i) => ({ id: `u${i}`, sourceActorId: `a${i}`, lastActivity: new Date(DAY) })),
  );
  const costs: Cost[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    if (what === "filtered page, account")
      await batch.write("accounts", [{ id: `a${time}`, name: `A${time}` }]);
    else await batch.write("licenses", [license(time)]);
    costs.push(await cost(() => page(server, what === "plain page" ? {} : FILTERED)));
  }
  await batch.abort();
  return median(costs);
}

async function measure(task: ServerTask): Promise<Cost | undefined> {
  if (task.measure === "start") return startAndStop();
  if (task.measure !== "start again") return measurePages(task);
  await startAndStop(useBoth);
  const costs: Cost[] = [];
  for (let time = 0; time < TIMES; time += 1) costs.push(await startAndStop(useBoth));
  return median(costs);
}

const task: ServerTask = JSON.parse(process.argv[2] ?? "{}");
console.log(JSON.stringify(await measure(task)));
process.exit(0);
