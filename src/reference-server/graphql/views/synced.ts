/** Records as views read them: contract/rules.ts says which field plays which part, and a contract may lack some. */
import { RECORD_RULES, SHOWN } from "../../../sync/generated/server.js";
import { isTimestamp } from "../../sync/record-rules.js";
import { fold, getOrAdd, lazy, nullIfBlank } from "../../values.js";
import type { Collection, MessageOf, SyncedInstallation } from "../../workspace.js";

type Rows = readonly MessageOf<Collection>[];

type Parts = (part: string) => unknown;

/** Returns what reads records of a collection: the same object as long as the record is the same. */
function reader<View>(collection: string, view: (part: Parts) => View) {
  const known = new WeakMap<object, View>();
  return ({ variant }: MessageOf<Collection>): readonly View[] => {
    const paths = SHOWN[collection]?.[variant?.$case ?? ""];
    if (variant === undefined || paths === undefined) return [];
    const part: Parts = (name) => paths[name]?.reduce<unknown>(fieldOf, variant.value);
    return [getOrAdd(known, variant.value, () => view(part))];
  };
}

function fieldOf(message: unknown, name: string): unknown {
  return typeof message === "object" && message !== null ? Reflect.get(message, name) : undefined;
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
const flag = (value: unknown) => (typeof value === "boolean" ? value : undefined);
const count = (value: unknown) => (value === undefined ? undefined : Number(value));

const accountOf = reader("accounts", (part) => ({
  id: text(part("id")) ?? "",
  name: text(part("name")),
  email: text(part("email")),
  username: text(part("username")),
  active: flag(part("active")),
}));

const planOf = reader("plans", (part) => ({
  id: text(part("id")) ?? "",
  externalPlanName: text(part("name")) ?? "",
  externalProductName: text(part("product")),
  paidSeats: count(part("paidSeats")),
  consumedSeats: count(part("consumedSeats")),
}));

const licenseOf = reader("licenses", (part) => ({
  sourceId: text(part("id")) ?? "",
  sourceAccountId: text(part("account")) ?? "",
  sourcePlanId: text(part("plan")) ?? "",
  billable: flag(part("billable")),
}));

const employeeOf = reader("employees", (part) => {
  const aliases = part("aliases");
  return {
    id: text(part("id")) ?? "",
    name: text(part("name")),
    email: text(part("email")),
    aliases: Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === "string") : [],
  };
});

const usageOf = reader("usage", (part): Use => {
  const [plan, product] = [text(part("plan")), text(part("product"))];
  const scope = plan
    ? (`plan:${plan}` as const)
    : product
      ? (`product:${fold(product)}` as const)
      : "installation";
  return { actorId: text(part("actor")) ?? "", scope, time: timeOf(part("time")) };
});

const discoveredOf = reader("externallyDiscoveredUsage", (part) => ({
  actorId: text(part("actor")) ?? "",
  email: nullIfBlank(text(part("email"))),
  product: nullIfBlank(text(part("product"))),
  time: timeOf(part("time") ?? part("until")),
}));

type ViewOf<Reader extends (record: MessageOf<Collection>) => readonly unknown[]> =
  ReturnType<Reader>[number];

export type Account = ViewOf<typeof accountOf>;
export type Plan = ViewOf<typeof planOf>;
export type License = ViewOf<typeof licenseOf>;
export type Employee = ViewOf<typeof employeeOf>;

/** What a use is a use of, within the installation that reported it. */
export type UsageScope = `plan:${string}` | `product:${string}` | "installation";

export interface Use {
  readonly actorId: string;
  /** Folded e-mail address or null, if another system than the product's own saw the use. */
  readonly address?: string | null;
  readonly scope: UsageScope;
  readonly time: number;
}

/** By what was used: who used it last when, in milliseconds since the epoch. */
export type LastUses<User> = Map<string, Map<User, number>>;

export function keep<User>(all: LastUses<User>, scope: string, user: User, time: number): void {
  const uses = getOrAdd(all, scope, () => new Map());
  uses.set(user, Math.max(time, uses.get(user) ?? time));
}

const NONE: Rows = [];

/** The records of a collection, if the contract has it. */
export function recordsIn(installation: SyncedInstallation, name: string): Rows {
  return isCollection(name) ? installation.records(name) : NONE;
}

function isCollection(name: string): name is Collection {
  return Object.hasOwn(RECORD_RULES, name);
}

/** What one installation has synced, as it is now. */
export type SyncedData = ReturnType<typeof syncedBy>;

export function syncedBy(installation: SyncedInstallation) {
  const find = (name: string, id: string): Rows => {
    const record = isCollection(name) ? installation.find(name, id) : undefined;
    return record === undefined ? NONE : [record];
  };
  const plans = recordsIn(installation, "plans").flatMap(planOf);
  const discovered = recordsIn(installation, "externallyDiscoveredUsage").flatMap(discoveredOf);
  const ownUses = recordsIn(installation, "usage").flatMap(usageOf);
  return {
    installation,
    plans,
    licenses: lazy(() => recordsIn(installation, "licenses").flatMap(licenseOf)),
    employees: lazy(() => recordsIn(installation, "employees").flatMap(employeeOf)),
    account: (id: string) => find("accounts", id).flatMap(accountOf)[0],
    employee: (id: string) => find("employees", id).flatMap(employeeOf)[0],
    plan: (id: string) => find("plans", id).flatMap(planOf)[0],
    /** Names of the products of plans, by folded name. */
    products: byFoldedName(plans.map((plan) => productOf(plan, installation))),
    /** Names of discovered products, by folded name. */
    discovered: byFoldedName(discovered.flatMap(({ product }) => product ?? [])),
    uses: [...ownUses, ...discovered.flatMap(discoveredUseOf)],
    /** What the uses that the product's own system saw tell of accounts, by their ids. */
    lastUses: lazy(() => {
      const last: LastUses<string> = new Map();
      for (const { actorId, scope, time } of ownUses) keep(last, scope, actorId, time);
      return last;
    }),
  };
}

/** Of several spellings the first counts. */
function byFoldedName(names: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const name of names) getOrAdd(map, fold(name), () => name.trim());
  return map;
}

/** A plan without a product belongs to the product of its integration: its own name is that of an edition. */
export function productOf(plan: Plan, installation: SyncedInstallation): string {
  return nullIfBlank(plan.externalProductName) ?? installation.integration.name;
}

/** An event without a product says nothing: the use did not happen in the installation that reports it. */
function discoveredUseOf({ actorId, email, product, time }: ViewOf<typeof discoveredOf>): readonly Use[] {
  if (product === null) return [];
  const address = email === null ? null : fold(email);
  return [{ actorId, address, scope: `product:${fold(product)}`, time }];
}

/** Events have a time: the record rules require it. */
function timeOf(value: unknown): number {
  const { seconds, nanos } = isTimestamp(value) ? value : { seconds: 0n, nanos: 0 };
  return Number(seconds) * 1000 + Math.floor(nanos / 1e6);
}
