/** Records that look like those of real sources; the same for every client. */
import { type Names, namesOf, type TextKind } from "./names.js";

/** The generic details of records of each kind, in the form that a source provides. */
export interface Details {
  readonly accounts: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly username: string;
    readonly active: boolean;
    readonly roles: string[];
  };
  readonly licenses: {
    readonly sourceId: string;
    readonly sourceAccountId: string;
    readonly sourcePlanId: string;
    readonly billable: boolean;
    readonly externalProductId: string;
  };
  readonly usage: {
    readonly id: string;
    readonly sourceActorId: string;
    readonly externalProductName: string;
    readonly sourcePlanId: string;
    readonly lastActivity: Date;
  };
  readonly employees: {
    readonly id: string;
    readonly fullName: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly emailAliases: string[];
    readonly active: boolean;
    readonly deleted: boolean;
    readonly creationTime: Date;
    readonly avatarUrl: string;
    readonly orgUnit: string;
    readonly departmentPath: string[];
    readonly jobTitle: string;
    readonly country: string;
    readonly division: string;
    readonly costCenter: string;
    readonly userType: string;
    readonly managerId: string;
    readonly hasMailbox: boolean;
    readonly attributes: Record<string, string>;
  };
}

/** Collection that a kind of record goes into. */
export type Kind = keyof Details;

/** Number of different records; a longer source repeats them, so that its memory isn't measured. */
const POOL = 20_000;
const SINCE = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

type Make<K extends Kind> = (i: number, names: Names) => Details[K];

const MAKE: { readonly [K in Kind]: Make<K> } = {
  accounts: (i, { first, last }) => ({
    id: `account-${i}`,
    name: `${first} ${last}`,
    email: `person.${i}@example.com`,
    username: `person.${i}`,
    active: i % 10 !== 0,
    roles: ["member"],
  }),
  licenses: (i) => ({
    sourceId: `license-${i}`,
    sourceAccountId: `account-${i}`,
    sourcePlanId: `plan-${i % 50}`,
    billable: i % 7 !== 0,
    externalProductId: `product-${i % 20}`,
  }),
  usage: (i, { product }) => ({
    id: `event-${i}`,
    sourceActorId: `account-${i % 5000}`,
    externalProductName: product,
    sourcePlanId: `plan-${i % 50}`,
    lastActivity: new Date(SINCE + (i % 100_000) * MINUTE_MS),
  }),
  employees: (i, { first, last, title, department }) => ({
    id: `employee-${i}`,
    fullName: `${first} ${last}`,
    firstName: first,
    lastName: last,
    email: `person.${i}@example.com`,
    emailAliases: [`p${i}@example.com`],
    active: i % 10 !== 0,
    deleted: false,
    creationTime: new Date(SINCE - i * MINUTE_MS),
    avatarUrl: `https://pictures.example.com/people/${i}.png`,
    orgUnit: `/Company/${department}`,
    departmentPath: ["Company", department],
    jobTitle: title,
    country: "Germany",
    division: `Division ${i % 9}`,
    costCenter: `CC-${1000 + (i % 300)}`,
    userType: "Member",
    managerId: `employee-${Math.floor(i / 8)}`,
    hasMailbox: true,
    attributes: { badge: `B-${i}`, floor: `${i % 12}`, locale: "de-DE" },
  }),
};

/** Makes different records of a kind. */
export function makePool<K extends Kind>(kind: K, text: TextKind, size = POOL): Details[K][] {
  const make = MAKE[kind];
  const pool = Array.from({ length: size }, (_, i) => make(i, namesOf(text, i)));
  // Flat strings, as a parser creates them: concatenated ones would be flattened in the first measured run.
  return structuredClone(pool);
}

/** Repeats the pool until there are this many records. */
export function repeat<R>(pool: readonly R[], count: number): R[] {
  return Array.from({ length: count }, (_, i) => pool[i % pool.length]).filter((r) => r !== undefined);
}
