import Big from "big.js";
import {
  buildASTSchema,
  type GraphQLField,
  type GraphQLFieldMap,
  type GraphQLFieldResolver,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  valueFromASTUntyped,
} from "graphql";
import type { Clock } from "../../core/clock.js";
import { SCALAR_KINDS } from "../../sync/generated/contract.js";
import { SCHEMA } from "../generated/schema.js";
import type { ApplicationState } from "../portfolio.js";
import { calendarDateOf, isCalendarDate } from "../values.js";
import type { Workspace } from "../workspace.js";
import type { IdentifiedRow, InputObject } from "./connection/filter.js";
import { type ConnectionArguments, inputType, pagerOf, type RowSet } from "./connection/page.js";
import { notAuthorized } from "./errors.js";
import type { BreakPage } from "./faults.js";
import { changeVendorsState, createProcurementCase, updateProcurementCase } from "./mutations.js";
import { viewsOf } from "./views/views.js";

export type RequestContext = {
  readonly workspace: Workspace;
  readonly canWrite: boolean;
  readonly clock: Clock;
  readonly pageSize: number;
  readonly breakPage: BreakPage;
};

type Resolver<Arguments> = GraphQLFieldResolver<unknown, RequestContext, Arguments>;

/** The schema of the package with scalars and resolvers. Fields below the root are read from rows by name. */
export function executableSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(SCHEMA, { noLocation: true }), {
    // Tests have validated the schema.
    assumeValid: true,
    assumeValidSDL: true,
  });
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (!query || !mutation) throw new TypeError("The schema has no queries or mutations.");
  for (const [name, kind] of Object.entries(SCALAR_KINDS)) {
    const type = schema.getType(name);
    if (!isScalarType(type) || isSpecifiedScalarType(type)) continue;
    if (kind === "date") defineDate(type);
    if (kind === "number") defineDecimal(type);
    type.parseLiteral = (node) => type.parseValue(valueFromASTUntyped(node));
  }
  resolveQueries(query.getFields());
  resolveMutations(mutation.getFields());
  return schema;
}

type Fields = GraphQLFieldMap<unknown, RequestContext>;

function fieldOf(fields: Fields, name: string): GraphQLField<unknown, RequestContext> {
  const field = fields[name];
  if (field === undefined) throw new TypeError(`The schema has no field ${name}.`);
  return field;
}

function resolveQueries(fields: Fields): void {
  for (const name of ["applications", "licenses", "licensePlans"] as const) {
    const field = fieldOf(fields, name);
    const pageIn = pagerOf(field);
    const resolve: Resolver<ConnectionArguments> = (_, args, { workspace, clock, pageSize, breakPage }) => {
      const rows: RowSet<IdentifiedRow> = viewsOf(workspace, clock.now())[name]();
      return breakPage(pageIn(rows, args, pageSize), args);
    };
    field.resolve = resolve;
  }
}

function resolveMutations(fields: Fields): void {
  const ofCases = <Input>(
    name: string,
    change: (workspace: Workspace, input: Input, today: string) => unknown,
  ): void => {
    fieldOf(fields, name).resolve = writing<{ input: Input }>(({ input }, { workspace, clock }) =>
      change(workspace, input, calendarDateOf(clock.now())),
    );
  };
  ofCases("createProcurementCase", createProcurementCase);
  ofCases("updateProcurementCase", updateProcurementCase);
  const change = fieldOf(fields, "changeVendorsState");
  const filter = inputType(change, "where");
  change.resolve = writing<{ input: { state: ApplicationState }; where?: InputObject | null }>(
    ({ input, where }, { workspace, clock }) =>
      changeVendorsState(workspace, input.state, filter, where, clock.now()),
  );
}

function writing<Arguments>(
  change: (args: Arguments, context: RequestContext) => unknown,
): Resolver<Arguments> {
  return (_, args, context, { path }) => {
    if (!context.canWrite) throw notAuthorized([path.key]);
    return change(args, context);
  };
}

/** `Date` is a calendar date as YYYY-MM-DD. */
function defineDate(type: GraphQLScalarType): void {
  const parseDate = (value: unknown): string => {
    if (typeof value === "string" && isCalendarDate(value)) return value;
    throw new TypeError("A Date is a calendar date as YYYY-MM-DD.");
  };
  type.serialize = parseDate;
  type.parseValue = parseDate;
}

/** `Decimal` is an exact decimal inside the server and a JSON number outside. */
function defineDecimal(type: GraphQLScalarType): void {
  type.serialize = (value) => {
    if (value instanceof Big) return value.toNumber();
    throw new TypeError("A Decimal is a Big.");
  };
  type.parseValue = (value) => {
    // A double's shortest form is exactly what the caller wrote, if that has up to 15 digits.
    if (typeof value === "number" && Number.isFinite(value)) return new Big(String(value));
    throw new TypeError("A Decimal is a number.");
  };
}
