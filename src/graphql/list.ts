import { InvalidInputError } from "../errors.js";
import { readOptions } from "../option-checks.js";
import type { Connection } from "./connection.js";
import { refuseDates } from "./dates.js";
import type { GraphQLDocument } from "./document-types.js";
import type {
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoverySortInput,
  LicenseFilterInput,
  LicensePlanFilterInput,
  LicensePlanSortInput,
  LicenseSortInput,
} from "./generated/operations.js";
import type { ConnectionData } from "./page.js";
import { connect } from "./paginate.js";
import { type ConnectionOptions, type PagingArguments, planWalk } from "./paging.js";
import { callOptions } from "./request-options.js";
import type { Transport } from "./transport.js";

/** What a collection is asked for (service description, "GraphQL API"). */
export type ListArguments<Where, Order> = PagingArguments & {
  /** Which items; conditions in one object combine with AND. @default all of them */
  readonly where?: Where | null | undefined;
  /** The order, as one object or several; later ones break ties of earlier ones. @default the server's own */
  readonly order?: Order | readonly Order[] | null | undefined;
};

/** Arguments of `applications` (service description, "GraphQL API"). */
export type ApplicationsArguments = ListArguments<
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoverySortInput
>;
/** Arguments of `licenses` (service description, "GraphQL API"). */
export type LicensesArguments = ListArguments<LicenseFilterInput, LicenseSortInput>;
/** Arguments of `licensePlans` (service description, "GraphQL API"). */
export type LicensePlansArguments = ListArguments<LicensePlanFilterInput, LicensePlanSortInput>;

/** The connection of one of the SDK's own documents, which all take the same arguments. */
export function list<Data, Where, Order, Node>(
  transport: Transport,
  document: GraphQLDocument<Data, never>,
  args: ListArguments<Where, Order>,
  options: ConnectionOptions,
  select: (data: Data) => ConnectionData<Node> | null,
): Connection<Node> {
  const given = readOptions("The arguments", args);
  checkNames(given);
  const own = callOptions(options) ?? {};
  const { where, order } = given;
  refuseDates({ where });
  const walk = planWalk(given, own.limit);
  const names =
    walk.direction === "forward" ? { size: "first", cursor: "after" } : { size: "last", cursor: "before" };
  return connect(transport, { document, variables: { where, order }, names, walk, select, options: own });
}

const NAMES = ["where", "order", "first", "after", "last", "before"];

/** A filter outside of `where` would be ignored, and everything be read. */
function checkNames(args: object): void {
  if (Object.keys(args).every((name) => NAMES.includes(name))) return;
  throw new InvalidInputError(
    `The arguments have a name that is none of ${NAMES.join(", ")}. Conditions belong into where; limit, signal and the like into the options, which come second.`,
  );
}
