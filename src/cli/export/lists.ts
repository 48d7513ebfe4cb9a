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
interface Selection {
  readonly where: object | undefined;
  readonly order: object | undefined;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
}

/** A list that can be exported. */
interface ExportedList {
  /** Where the values of a node lie, in the order of the columns. */
  readonly fields: readonly string[];
  read(client: GraphQLClient, selection: Selection): AsyncIterable<object>;
}

/** Gives the JSON the types of a list. */
function typed<Where, Order>({ where, order, ...rest }: Selection) {
  const condition = z.custom<Where>(isObject);
  const key = z.custom<Order>(isObject);
  const schema = z.object({ where: condition.optional(), order: z.union([key, z.array(key)]).optional() });
  return { ...rest, ...schema.parse({ where, order }) };
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const contract = "contractDetails.renewal.";

export const LISTS = {
  applications: {
    fields: [
      ..."id application.name application.vendorName application.category.name state portfolioType".split(
        " ",
      ),
      ..."owner.name lastUsed userCountStat.all userCountStat.last30Days".split(" "),
    ],
    read: (client, given) => client.applications(typed<ApplicationFilter, ApplicationOrder>(given)),
  },
  licenses: {
    fields: [
      ..."id holder.name holder.email holder.employeeId plan.name plan.integration.name".split(" "),
      ..."state.activity state.reason annualPrice.amount annualPrice.currency".split(" "),
      ..."potentialSaving.amount potentialSaving.currency".split(" "),
    ],
    read: (client, given) => client.licenses(typed<LicenseFilter, LicenseOrder>(given)),
  },
  "license-plans": {
    fields: [
      ..."id name integration.name contractDetails.type".split(" "),
      ...[`${contract}upcomingDate.value`, `${contract}terminationPeriod.value`],
      ..."pricingStats.annualCost pricingStats.currency pricingStats.potentialSaving.amount".split(" "),
      ..."usageStats.total usageStats.inUse.total usageStats.unused.total".split(" "),
    ],
    read: (client, given) => client.licensePlans(typed<LicensePlanFilter, LicensePlanOrder>(given)),
  },
} as const satisfies Readonly<Record<string, ExportedList>>;

/** Returns the value at a path; null if there is none. */
export function valueAt(node: object, path: string): string | number | boolean | null {
  let value: unknown = node;
  for (const name of path.split("."))
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
