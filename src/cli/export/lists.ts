import { z } from "zod";
import type { GraphQLClient } from "../../graphql/client.js";
import type {
  ApplicationFilter,
  ApplicationOrder,
  LicenseFilter,
  LicenseOrder,
  LicensePlanFilter,
  LicensePlanOrder,
} from "../../graphql/generated/operations.js";

/** What limits an export, as JSON that the service checks. */
export interface Selection {
  readonly where: unknown;
  readonly order: unknown;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
}

/** A list that can be exported. */
export interface ExportedList {
  /** Where the values of a node lie, in the order of the columns. */
  readonly fields: readonly string[];
  read(client: GraphQLClient, selection: Selection): AsyncIterable<object>;
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const conditions = <Where>() => z.custom<Where>(isObject).optional();
const orders = <Order>() =>
  z.union([z.custom<Order>(isObject), z.array(z.custom<Order>(isObject))]).optional();

const contract = "contractDetails.renewal.";

export const LISTS = {
  applications: {
    fields: [
      ..."id application.name application.vendorName application.category.name state portfolioType".split(
        " ",
      ),
      ..."owner.name lastUsed userCountStat.all userCountStat.last30Days".split(" "),
    ],
    read: (client, { where, order, ...rest }) =>
      client.applications({
        ...rest,
        where: conditions<ApplicationFilter>().parse(where),
        order: orders<ApplicationOrder>().parse(order),
      }),
  },
  licenses: {
    fields: [
      ..."id holder.name holder.email holder.employeeId plan.name plan.integration.name".split(" "),
      ..."state.activity state.reason annualPrice.amount annualPrice.currency".split(" "),
      ..."potentialSaving.amount potentialSaving.currency".split(" "),
    ],
    read: (client, { where, order, ...rest }) =>
      client.licenses({
        ...rest,
        where: conditions<LicenseFilter>().parse(where),
        order: orders<LicenseOrder>().parse(order),
      }),
  },
  "license-plans": {
    fields: [
      ..."id name integration.name contractDetails.type".split(" "),
      ...[`${contract}upcomingDate.value`, `${contract}terminationPeriod.value`],
      ..."pricingStats.annualCost pricingStats.currency pricingStats.potentialSaving.amount".split(" "),
      ..."usageStats.total usageStats.inUse.total usageStats.unused.total".split(" "),
    ],
    read: (client, { where, order, ...rest }) =>
      client.licensePlans({
        ...rest,
        where: conditions<LicensePlanFilter>().parse(where),
        order: orders<LicensePlanOrder>().parse(order),
      }),
  },
} as const satisfies Readonly<Record<string, ExportedList>>;

/** Returns the value at a path; null if there is none. */
export function valueAt(node: object, path: string): string | number | boolean | null {
  let value: unknown = node;
  for (const name of path.split("."))
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
