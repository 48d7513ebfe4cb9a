/** Reads synced records for the views. In contract/rules.ts, `shownAs` says what a view shows a field as. */
import { SHOWN } from "../../../sync/generated/server.js";
import { isTimestamp } from "../../sync/record-rules.js";
import { fold, lazy } from "../../values.js";
import type { SyncedInstallation } from "../../workspace.js";

/** Reads a record's fields by what the views show them as. */
interface Parts {
  value(part: string): unknown;
  /** Null if the text is missing or blank. */
  text(part: string): string | null;
  /** The record rules require the ids that views need, so an id is empty only if the contract lacks it. */
  id(part?: string): string;
}

function read<View>(installation: SyncedInstallation, collection: string, view: (parts: Parts) => View) {
  return installation.records(collection).flatMap(({ variant }): readonly View[] => {
    const paths = SHOWN[collection]?.[variant?.$case ?? ""];
    if (variant === undefined || paths === undefined) return [];
    const value = (part: string) => paths[part]?.reduce<unknown>(fieldOf, variant.value);
    const text = (part: string) => {
      const given = value(part);
      return typeof given === "string" && given.trim() !== "" ? given : null;
    };
    return [view({ value, text, id: (part = "id") => text(part) ?? "" })];
  });
}

function fieldOf(message: unknown, name: string): unknown {
  return typeof message === "object" && message !== null ? Reflect.get(message, name) : undefined;
}

const count = (value: unknown) => (value === undefined ? undefined : Number(value));

function accountOf({ id, text, value }: Parts) {
  return { id: id(), name: text("name") ?? text("username"), email: text("email"), active: value("active") };
}

function employeeOf({ id, text }: Parts) {
  return { id: id(), name: text("name"), email: text("email") };
}

/** A plan without a product gets its integration's name, because the plan's own name may just name an edition. */
function planOf({ id, text, value }: Parts, integrationName: string) {
  const [paidSeats, consumedSeats = 0] = [count(value("paidSeats")), count(value("consumedSeats"))];
  return {
    id: id(),
    name: text("name") ?? "",
    product: text("product") ?? integrationName,
    paidSeats,
    consumedSeats,
  };
}

function licenseOf({ id, value }: Parts) {
  return { id: id(), accountId: id("account"), planId: id("plan"), billable: value("billable") === true };
}

function useOf({ id, text, value }: Parts) {
  const time = timeOf(value("time") ?? value("until"));
  return { actorId: id("actor"), email: text("email"), plan: text("plan"), product: text("product"), time };
}

export type Account = ReturnType<typeof accountOf>;
export type Employee = ReturnType<typeof employeeOf>;
export type Plan = ReturnType<typeof planOf>;
export type License = ReturnType<typeof licenseOf>;

/** What one installation has synced, as it is now. */
export type SyncedData = ReturnType<typeof syncedBy>;

export function syncedBy(installation: SyncedInstallation) {
  const plans = read(installation, "plans", (parts) => planOf(parts, installation.integration.name));
  // These events are about use outside their own installation, so one without a product doesn't say what was used.
  const discovered = read(installation, "externallyDiscoveredUsage", useOf).flatMap(({ product, ...use }) =>
    product === null ? [] : [{ ...use, product }],
  );
  // If there are several spellings, the first one wins.
  const products = [...plans, ...discovered].map(({ product }) => [fold(product), product.trim()] as const);
  return {
    installation,
    plans: byId(plans),
    accounts: lazy(() => byId(read(installation, "accounts", accountOf))),
    employees: lazy(() => byId(read(installation, "employees", employeeOf))),
    licenses: lazy(() => read(installation, "licenses", licenseOf)),
    uses: lazy(() => [...read(installation, "usage", useOf), ...discovered]),
    products: new Map(products.reverse()),
  };
}

function byId<View extends { readonly id: string }>(views: readonly View[]): ReadonlyMap<string, View> {
  return new Map(views.map((view) => [view.id, view]));
}

/** The time is always there, because the record rules require one for events. */
function timeOf(value: unknown): number {
  const { seconds, nanos } = isTimestamp(value) ? value : { seconds: 0n, nanos: 0 };
  return Number(seconds) * 1000 + Math.floor(nanos / 1e6);
}
