import { checkSignal } from "../../core/abort.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";
import { refuseDates } from "../dates.js";
import type {
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoverySortInput,
  LicenseFilterInput,
  LicensePlanFilterInput,
  LicensePlanSortInput,
  LicenseSortInput,
} from "../generated/operations.js";
import type { GraphQLDocument } from "../request/document-types.js";
import type { Transport } from "../request/transport.js";
import { CONNECTION_NAMES, type ConnectionOptions, type PagingArguments, planWalk } from "./arguments.js";
import type { Connection } from "./connection.js";
import type { ConnectionData } from "./page.js";
import { connect } from "./paginate.js";

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

const ARGUMENT_NAMES = {
  where: true,
  order: true,
  first: true,
  after: true,
  last: true,
  before: true,
} satisfies KeysOf<ListArguments<unknown, unknown>>;

/** The connection of one of the SDK's own documents, which all take the same arguments. */
export function list<Name extends string, Where, Order, Node>(
  transport: Transport,
  name: Name,
  document: GraphQLDocument<{ readonly [N in Name]: ConnectionData<Node> | null }, never>,
  args: ListArguments<Where, Order>,
  options: ConnectionOptions,
): Connection<Node> {
  // A filter outside of `where` would be ignored, and everything be read.
  const given = readOptions(`The arguments of ${name}`, args, ARGUMENT_NAMES);
  const own = readOptions(`The options of ${name}`, options, CONNECTION_NAMES);
  checkSignal(own.signal);
  const { where, order } = given;
  refuseDates({ where });
  const walk = planWalk(given, own.limit);
  const names =
    walk.direction === "forward" ? { size: "first", cursor: "after" } : { size: "last", cursor: "before" };
  return connect(transport, {
    document,
    variables: { where, order },
    names,
    sizeGiven: true,
    walk,
    select: (data) => data[name],
    options: own,
  });
}
