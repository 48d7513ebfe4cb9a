/**
 * Makes the data of the demo company's vendors, contracts and HR system from lists, so it's the same at every start.
 */
import type { Portfolio } from "../../reference-server/portfolio.js";
import type { SyncBatch } from "../../sync/batch/sync-batch.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const EMPLOYEES = 320;
const FIRST_NAMES = `Mareike Jonas Grace Fabian Zdeňka Żaneta Amara Luca Ingrid Tomasz
  Noor Émile Sofia Henrik Yuki Carmen Oskar Leila Piotr Anneli`.split(/\s+/);
const LAST_NAMES = `Schröder Strauß Washington Zimmermann Němec Świątek Okafor Ferrari
  Lindqvist Kowalski Haddad Lefèvre Rossi Dahl Tanaka Vega`.split(/\s+/);

/** Every `every`th person holds a license, and every `idle`th holder hasn't used it lately. */
const SOLD = `Tuschgrün, EUR, Studio Team, Tuschgrün Studio, Design, 587.88, 140, 3, 4, 41
Tuschgrün, EUR, Proof Reviewer, Tuschgrün Proof, Design, 95.40, 200, 2, 3, 41
Brambleboard, USD, Board Business, Brambleboard, Planning, 167.88, 320, 1, 5, 63
Quillmarsh, GBP, Sales Pro, Quillmarsh CRM, Sales, 899.40, 80, 5, 7, 84
Quillmarsh, GBP, Analytics, Quillmarsh Analytics, Analytics, 419.88, 40, 11, 2, 212`
  .split("\n")
  .map((line) => {
    const [vendor = "", currency = "", plan = "", product = "", category = "", price = "", ...figures] =
      line.split(", ");
    const [paidSeats = 0, every = 1, idle = 1, renewsIn = 0] = figures.map(Number);
    return { vendor, currency, plan, product, category, price, paidSeats, every, idle, renewsIn };
  });

const STAFF = Array.from({ length: EMPLOYEES }, (_, i) => {
  const name = `${FIRST_NAMES[i % 20]} ${LAST_NAMES[Math.floor(i / 20) % 16]}`;
  const email = `p${10_011 + i}@polarvik.example`;
  return { id: `P${10_011 + i}`, name, email, active: i % 23 !== 22 };
});

export function demoPortfolio(now: number): Portfolio {
  const [{ id = "", name = "" } = {}] = STAFF;
  return {
    unusedAfterDays: 30,
    applications: SOLD.map(({ product, vendor: vendorName, category }) => {
      return { name: product, vendorName, category, state: "SANCTIONED", owner: { id, name } };
    }),
    planPrices: SOLD.map(({ plan: planName, price: annualPricePerSeat, currency }) => {
      return { planName, annualPricePerSeat, currency };
    }),
    contracts: SOLD.map(({ plan: planName, renewsIn }) => {
      const value = new Date(now + renewsIn * DAY_MS).toISOString().slice(0, 10);
      const terminationPeriod = { value: 30, origin: "MANUAL" as const };
      const renewal = { upcomingDate: { value, origin: "INTEGRATION" as const }, terminationPeriod };
      return { planName, type: "ANNUAL", renewal };
    }),
  };
}

/** The records of one integration of the demo company. */
interface DemoInstallation {
  readonly integration: string;
  write(batch: Pick<SyncBatch, "write">): Promise<void>;
}

export function demoInstallations(now: number): readonly DemoInstallation[] {
  const employees = STAFF.map(({ name: fullName, ...person }) => ({ ...person, fullName }));
  const vendors = SOLD.map(({ vendor, plan, product, paidSeats, every, idle }): DemoInstallation => {
    const holders = STAFF.filter((_, i) => i % every === 0).slice(0, paidSeats);
    const seatBased = { paidSeats, consumedSeats: holders.length };
    const accounts = holders.map(({ id, name, email, active }) => ({ id: `a-${id}`, name, email, active }));
    const licenses = holders.map(({ id }) => {
      return { sourceId: `${id}/${plan}`, sourceAccountId: `a-${id}`, sourcePlanId: plan, billable: true };
    });
    const usage = holders.map(({ id }, i) => {
      const lastActivity = new Date(now - (i % idle === 0 ? 75 : 1 + (i % 20)) * DAY_MS);
      return { id: `${id}/${plan}`, sourceActorId: `a-${id}`, externalProductName: product, lastActivity };
    });
    const names = { id: plan, externalPlanName: plan, externalProductName: product };
    return {
      integration: vendor,
      write: async (batch) => {
        await batch.write("accounts", accounts);
        await batch.write("plans", [{ ...names, details: { model: "SEAT_BASED", seatBased } }]);
        await batch.write("licenses", licenses);
        await batch.write("usage", usage);
      },
    };
  });
  return [
    { integration: "HR", write: async (batch) => void (await batch.write("employees", employees)) },
    ...vendors,
  ];
}
