import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from "graphql";
import { compileFilter, type InputObject } from "./filter.js";
import { compileOrder, type IdentifiedRow, sortRows } from "./order.js";
import { type Page, type PageArguments, pageOf } from "./page.js";

export interface ConnectionArguments extends PageArguments {
  readonly where?: InputObject | null;
  readonly order?: readonly InputObject[] | null;
}

/** All rows of a connection by id. Keeps the last filtered and sorted list: pages after the first cost no sorting. */
export class RowSet<R extends IdentifiedRow> {
  #last: { readonly key: string; readonly list: readonly R[] } | undefined;

  constructor(readonly rows: readonly R[]) {}

  list(key: string, make: () => readonly R[]): readonly R[] {
    if (this.#last?.key !== key) this.#last = { key, list: make() };
    return this.#last.list;
  }
}

export function sortedById<R extends IdentifiedRow>(rows: readonly R[]): readonly R[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

type Field = Pick<GraphQLField<unknown, unknown>, "name" | "args">;

export function pagerOf(field: Field) {
  const [whereType, orderType] = [inputType(field, "where"), inputType(field, "order")];
  return <R extends IdentifiedRow>(
    rowSet: RowSet<R>,
    args: ConnectionArguments,
    pageSize: number,
  ): Page<R> => {
    const { where, order } = args;
    const keys = compileOrder(orderType, order ?? []);
    const rows = rowSet.list(JSON.stringify([where ?? null, keys]), () => {
      const matching = where == null ? rowSet.rows : rowSet.rows.filter(compileFilter(whereType, where));
      return keys.length === 0 ? matching : sortRows(matching, keys);
    });
    return pageOf(rows, keys, field.name, args, pageSize);
  };
}

export function inputType(field: Field, argument: string): GraphQLInputObjectType {
  const found = field.args.find(({ name }) => name === argument);
  const type = found === undefined ? undefined : getNamedType(found.type);
  if (isInputObjectType(type)) return type;
  throw new TypeError(`The schema's ${field.name} has no input object as ${argument}.`);
}
