/** What vendors, contracts and the HR system of the demo company say. */
import type { Portfolio } from "../../reference-server/portfolio.js";
import type { RecordOf } from "../../sync/collections.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const EMPLOYEES = 320;

/** Holders are every so-manieth person; of them, every so-manieth (`idle`) has not used it lately. */
type Line = readonly [
  plan: string,
  product: string,
  category: string,
  state: "DISCOVERED" | "IN_REVIEW" | "SANCTIONED",
  price: string,
  paidSeats: number,
  every: number,
  idle: number,
  contract: string,
  renewsIn: number,
  noticeDays: number,
];

const VENDORS = [
  vendor("Tuschgrün", "EUR", [
    ["Studio Team", "Tuschgrün Studio", "Design", "SANCTIONED", "587.88", 140, 3, 4, "ANNUAL", 41, 30],
    ["Proof Reviewer", "Tuschgrün Proof", "Design", "SANCTIONED", "95.40", 200, 2, 3, "ANNUAL", 41, 30],
  ]),
  vendor("Brambleboard", "USD", [
    ["Board Business", "Brambleboard", "Planning", "IN_REVIEW", "167.88", 320, 1, 5, "MULTI_YEAR", 63, 60],
  ]),
  vendor("Quillmarsh", "GBP", [
    ["Sales Pro", "Quillmarsh CRM", "Sales", "SANCTIONED", "899.40", 80, 5, 7, "ANNUAL", 84, 45],
    ["Analytics", "Quillmarsh Analytics", "Analytics", "DISCOVERED", "419.88", 40, 11, 2, "ANNUAL", 212, 90],
  ]),
];

type Vendor = (typeof VENDORS)[number];

function vendor(name: string, currency: string, lines: readonly Line[]) {
  const products = lines.map(
    ([plan, product, category, state, price, paidSeats, every, idle, contract, renewsIn, noticeDays]) => {
      const seats = { price, currency, paidSeats, every, idle };
      return { plan, product, vendorName: name, category, state, ...seats, contract, renewsIn, noticeDays };
    },
  );
  return { name, products };
}

/** What one integration of the demo company reports. */
type DemoInstallation = { readonly integration: string } & {
  readonly [C in "employees" | "accounts" | "plans" | "licenses" | "usage"]: readonly RecordOf<C>[];
};

export function demoPortfolio(now: number): Portfolio {
  const dayIn = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
  const [{ id = "", name: ownerName = "" } = {}] = people(1);
  const owner = { id, name: ownerName };
  const all = VENDORS.flatMap(({ products }) => products);
  return {
    unusedAfterDays: 30,
    applications: all.map(({ product: name, vendorName, category, state }) => {
      return { name, vendorName, category, state, owner };
    }),
    planPrices: all.map(({ plan: planName, price: annualPricePerSeat, currency }) => {
      return { planName, annualPricePerSeat, currency };
    }),
    contracts: all.map((sold) => ({
      planName: sold.plan,
      type: sold.contract,
      renewal: {
        upcomingDate: { value: dayIn(sold.renewsIn), origin: "INTEGRATION" },
        terminationPeriod: { value: sold.noticeDays, origin: "MANUAL" },
      },
    })),
  };
}

export function demoInstallations(now: number): readonly DemoInstallation[] {
  const staff = people(EMPLOYEES);
  const none = { employees: [], accounts: [], plans: [], licenses: [], usage: [] };
  const employees = staff.map(({ id, name, email, division, jobTitle, active }) => {
    return { id, fullName: name, email, active, division, jobTitle };
  });
  return [
    { ...none, integration: "HR", employees },
    ...VENDORS.map((vendor) => ({ ...none, integration: vendor.name, ...recordsOf(vendor, staff, now) })),
  ];
}

function recordsOf({ products }: Vendor, staff: readonly Person[], now: number) {
  const seats = products.flatMap((sold) => {
    const holders = staff.filter((_, i) => i % sold.every === 0).slice(0, sold.paidSeats);
    return holders.map((holder, i) => ({ sold, holder, daysAgo: i % sold.idle === 0 ? 75 : 1 + (i % 20) }));
  });
  const holders = [...new Set(seats.map(({ holder }) => holder))];
  return {
    accounts: holders.map(({ id, name, email, active }) => ({ id: `a-${id}`, name, email, active })),
    plans: products.map(({ plan, product: name, paidSeats }) => ({
      id: plan,
      externalPlanName: plan,
      externalProductName: name,
      details: {
        model: "SEAT_BASED" as const,
        seatBased: { paidSeats, consumedSeats: seats.filter(({ sold }) => sold.plan === plan).length },
      },
    })),
    licenses: seats.map(({ sold, holder }) => ({
      sourceId: `${holder.id}/${sold.plan}`,
      sourceAccountId: `a-${holder.id}`,
      sourcePlanId: sold.plan,
      billable: true,
    })),
    usage: seats.map(({ sold, holder, daysAgo }) => ({
      id: `${holder.id}/${sold.plan}`,
      sourceActorId: `a-${holder.id}`,
      externalProductName: sold.product,
      lastActivity: new Date(now - daysAgo * DAY_MS),
    })),
  };
}

const FIRST =
  "Mareike Jonas Grace Fabian Zdeňka Żaneta Amara Luca Ingrid Tomasz Noor Émile Sofia Henrik Yuki Carmen Oskar Leila Piotr Anneli".split(
    " ",
  );
const LAST =
  "Schröder Strauß Washington Zimmermann Němec Świątek Okafor Ferrari Lindqvist Kowalski Haddad Lefèvre Rossi Dahl Tanaka Vega".split(
    " ",
  );
const DIVISIONS = [
  ["Research & Development", "Engineer"],
  ["Sales", "Account Manager"],
  ["Operations", "Planner"],
  ["Marketing", "Designer"],
  ["Finance", "Controller"],
] as const;
const LEFT_EVERY = 23;

/** Somebody who works at the demo company, or has left it. They are made of lists, so that they are the same at each start. */
interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly division: string;
  readonly jobTitle: string;
  readonly active: boolean;
}

function people(count: number): readonly Person[] {
  return Array.from({ length: count }, (_, i) => {
    const first = FIRST[i % FIRST.length] ?? "";
    const last = LAST[Math.floor(i / FIRST.length) % LAST.length] ?? "";
    const [division, jobTitle] = DIVISIONS[(i * 7) % DIVISIONS.length] ?? DIVISIONS[0];
    const id = `P${10_011 + i}`;
    const name = `${first} ${last}`;
    const mailbox = name
      .toLowerCase()
      .replaceAll("ß", "ss")
      .normalize("NFD")
      .replace(/[^a-z ]/g, "");
    const email = `${mailbox.replace(" ", ".")}@polarvik.example`;
    return { id, name, email, division, jobTitle, active: i % LEFT_EVERY !== LEFT_EVERY - 1 };
  });
}
