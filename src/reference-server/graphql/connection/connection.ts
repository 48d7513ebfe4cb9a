import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from "graphql";
import { CursorCodec } from "./cursor.js";
import { compileFilter, type InputObject } from "./filter.js";
import { compileOrder, sortRows } from "./order.js";
import { type Page, type PageArguments, pageOf } from "./page.js";
import type { IdentifiedRow } from "./row.js";
import type { RowSet } from "./row-set.js";

/** Arguments of a field that returns a connection. */
export interface ConnectionArguments extends PageArguments {
  readonly where?: InputObject | null;
  readonly order?: readonly InputObject[] | null;
}

/** Pages through the rows of one field of the schema, whose arguments say how it filters and sorts. */
export class Connection {
  readonly #name: string;
  readonly #where: GraphQLInputObjectType;
  readonly #order: GraphQLInputObjectType;

  constructor(field: GraphQLField<unknown, unknown>) {
    this.#name = field.name;
    this.#where = inputType(field, "where");
    this.#order = inputType(field, "order");
  }

  /** @throws GraphQLError where an argument is wrong. */
  page<R extends IdentifiedRow>(
    rowSet: RowSet<R>,
    args: ConnectionArguments,
    maximumPageSize: number,
  ): Page<R> {
    const { where, order } = args;
    const keys = compileOrder(this.#order, order ?? []);
    const rows = rowSet.list([where ?? null, keys], (all) => {
      if (where == null) return sortRows(all, keys);
      return sortRows(all.filter(compileFilter(this.#where, where)), keys);
    });
    return pageOf(rows, keys, new CursorCodec(this.#name, keys), args, maximumPageSize);
  }
}

/** The input type of a field's argument, for filters and orders. */
export function inputType(field: GraphQLField<unknown, unknown>, argument: string): GraphQLInputObjectType {
  const found = field.args.find(({ name }) => name === argument);
  const type = found === undefined ? undefined : getNamedType(found.type);
  if (isInputObjectType(type)) return type;
  throw new TypeError(`The schema's ${field.name} has no input object as ${argument}.`);
}
