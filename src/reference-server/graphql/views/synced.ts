/** Records for the views: contract/rules.ts says which field plays which part, and a contract may lack some. */
import { RECORD_RULES, SHOWN } from "../../../sync/generated/server.js";
import { isTimestamp } from "../../sync/record-rules.js";
import { fold, lazy, nullIfBlank } from "../../values.js";
import type { Collection, MessageOf, SyncedInstallation } from "../../workspace.js";

/** The value of the field that plays a part. */
type Parts = (part: string) => unknown;

/** The records of a collection, if the contract has it. */
export function recordsIn(installation: SyncedInstallation, name: string): readonly MessageOf<Collection>[] {
  return isCollection(name) ? installation.records(name) : [];
}

function isCollection(name: string): name is Collection {
  return Object.hasOwn(RECORD_RULES, name);
}

function read<View>(installation: SyncedInstallation, collection: string, view: (part: Parts) => View) {
  return recordsIn(installation, collection).flatMap(({ variant }): readonly View[] => {
    const paths = SHOWN[collection]?.[variant?.$case ?? ""];
    if (variant === undefined || paths === undefined) return [];
    return [view((part) => paths[part]?.reduce<unknown>(fieldOf, variant.value))];
  });
}

function fieldOf(message: unknown, name: string): unknown {
  return typeof message === "object" && message !== null ? Reflect.get(message, name) : undefined;
}

const text = (value: unknown) => (typeof value === "string" ? nullIfBlank(value) : null);
const idOf = (part: Parts, name = "id") => text(part(name)) ?? "";
const count = (value: unknown) => (value === undefined ? undefined : Number(value));

function accountOf(part: Parts) {
  const [name, email, username] = [part("name"), part("email"), part("username")].map(text);
  return { id: idOf(part), name: name ?? username ?? null, email: email ?? null, active: part("active") };
}

function employeeOf(part: Parts) {
  return { id: idOf(part), name: text(part("name")), email: text(part("email")) };
}

/** A plan without a product belongs to its integration's product: the plan's own name is an edition's. */
function planOf(part: Parts, integrationName: string) {
  return {
    id: idOf(part),
    name: text(part("name")) ?? "",
    product: text(part("product")) ?? integrationName,
    paidSeats: count(part("paidSeats")),
    consumedSeats: count(part("consumedSeats")) ?? 0,
  };
}

function licenseOf(part: Parts) {
  const [accountId, planId] = [idOf(part, "account"), idOf(part, "plan")];
  return { id: idOf(part), accountId, planId, billable: part("billable") === true };
}

function usageOf(part: Parts) {
  return {
    actorId: idOf(part, "actor"),
    email: text(part("email")),
    plan: text(part("plan")),
    product: text(part("product")),
    time: timeOf(part("time") ?? part("until")),
  };
}

export type Account = ReturnType<typeof accountOf>;
export type Employee = ReturnType<typeof employeeOf>;
export type Plan = ReturnType<typeof planOf>;
export type License = ReturnType<typeof licenseOf>;

/** What one installation has synced, as it is now. */
export type SyncedData = ReturnType<typeof syncedBy>;

export function syncedBy(installation: SyncedInstallation) {
  const plans = read(installation, "plans", (part) => planOf(part, installation.integration.name));
  // An event without a product says nothing: the use didn't happen in the installation that reports it.
  const discovered = read(installation, "externallyDiscoveredUsage", usageOf).filter(
    ({ product }) => product !== null,
  );
  return {
    installation,
    plans: byId(plans),
    accounts: lazy(() => byId(read(installation, "accounts", accountOf))),
    employees: lazy(() => byId(read(installation, "employees", employeeOf))),
    licenses: lazy(() => read(installation, "licenses", licenseOf)),
    uses: lazy(() => [...read(installation, "usage", usageOf), ...discovered]),
    /** If there are several spellings, the first one wins. */
    products: new Map(
      [...plans, ...discovered]
        .flatMap(({ product }) => (product === null ? [] : [[fold(product), product.trim()] as const]))
        .reverse(),
    ),
  };
}

function byId<View extends { readonly id: string }>(views: readonly View[]): ReadonlyMap<string, View> {
  return new Map(views.map((view) => [view.id, view]));
}

/** Events have a time: the record rules require it. */
function timeOf(value: unknown): number {
  const { seconds, nanos } = isTimestamp(value) ? value : { seconds: 0n, nanos: 0 };
  return Number(seconds) * 1000 + Math.floor(nanos / 1e6);
}
