import type { GraphQLFieldResolver, GraphQLObjectType } from "graphql";
import { calendarDateOf } from "../calendar-date.js";
import type { ApplicationState } from "../portfolio.js";
import { Connection, type ConnectionArguments, inputType } from "./connection/connection.js";
import type { InputObject } from "./connection/filter.js";
import type { RequestContext } from "./context.js";
import { createProcurementCase, type ProcurementCaseInput, updateProcurementCase } from "./procurement.js";
import { notAuthorized } from "./request-error.js";
import { changeVendorsState } from "./vendors.js";
import { viewsOf } from "./views/views.js";

type Resolver<Arguments> = GraphQLFieldResolver<unknown, RequestContext, Arguments>;

/** Gives the fields of `Query` their resolvers. What is below them is read from the rows, by name. */
export function resolveQueries(query: GraphQLObjectType): void {
  const { applications, licenses, licensePlans } = query.getFields();
  if (!applications || !licenses || !licensePlans) throw new TypeError("The schema lacks a query.");
  const pages = {
    applications: new Connection(applications),
    licenses: new Connection(licenses),
    licensePlans: new Connection(licensePlans),
  };
  const resolvers: Readonly<Record<keyof typeof pages, Resolver<ConnectionArguments>>> = {
    applications: (_, args, { workspace, clock, maximumPageSize, breakPage }) =>
      breakPage(
        pages.applications.page(viewsOf(workspace).applications(clock.now()), args, maximumPageSize),
        args,
      ),
    licenses: (_, args, { workspace, clock, maximumPageSize, breakPage }) =>
      breakPage(pages.licenses.page(viewsOf(workspace).licenses(clock.now()), args, maximumPageSize), args),
    licensePlans: (_, args, { workspace, clock, maximumPageSize, breakPage }) =>
      breakPage(
        pages.licensePlans.page(viewsOf(workspace).licensePlans(clock.now()), args, maximumPageSize),
        args,
      ),
  };
  applications.resolve = resolvers.applications;
  licenses.resolve = resolvers.licenses;
  licensePlans.resolve = resolvers.licensePlans;
}

/** Gives the fields of `Mutation` their resolvers. */
export function resolveMutations(mutation: GraphQLObjectType): void {
  const fields = mutation.getFields();
  const { createProcurementCase: create, updateProcurementCase: update, changeVendorsState: change } = fields;
  if (!create || !update || !change) throw new TypeError("The schema lacks a mutation.");
  create.resolve = writing<{ input: ProcurementCaseInput & { name: string } }>(
    ({ input }, { workspace, clock }) => createProcurementCase(workspace, input, calendarDateOf(clock.now())),
  );
  update.resolve = writing<{ input: ProcurementCaseInput & { id: string } }>(
    ({ input }, { workspace, clock }) => updateProcurementCase(workspace, input, calendarDateOf(clock.now())),
  );
  const filter = inputType(change, "where");
  change.resolve = writing<{ input: { state: ApplicationState }; where?: InputObject | null }>(
    ({ input, where }, { workspace, clock }) =>
      changeVendorsState(workspace, input.state, filter, where, clock.now()),
  );
}

/** A resolver for keys that may write. */
function writing<Arguments>(
  change: (args: Arguments, context: RequestContext) => unknown,
): Resolver<Arguments> {
  return (_, args, context, { path }) => {
    if (!context.canWrite) throw notAuthorized([path.key]);
    return change(args, context);
  };
}
