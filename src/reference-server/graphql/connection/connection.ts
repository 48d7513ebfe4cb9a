import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from "graphql";
import { compileFilter, type InputObject } from "./filter.js";
import { compileOrder, type IdentifiedRow, sortRows } from "./order.js";
import { CursorCodec, type Page, type PageArguments, pageOf } from "./page.js";

export interface ConnectionArguments extends PageArguments {
  readonly where?: InputObject | null;
  readonly order?: readonly InputObject[] | null;
}

/** All rows of a connection. Keeps the last filtered and sorted list: pages after the first cost no sorting. */
export class RowSet<R extends IdentifiedRow> {
  readonly rows: readonly R[];
  #last: { readonly key: string; readonly list: readonly R[] } | undefined;

  constructor(rows: readonly R[]) {
    this.rows = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  list(key: string, make: () => readonly R[]): readonly R[] {
    if (this.#last?.key !== key) this.#last = { key, list: make() };
    return this.#last.list;
  }
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
    return pageOf(rows, keys, new CursorCodec(field.name, keys), args, pageSize);
  };
}

export function inputType(field: Field, argument: string): GraphQLInputObjectType {
  const found = field.args.find(({ name }) => name === argument);
  const type = found === undefined ? undefined : getNamedType(found.type);
  if (isInputObjectType(type)) return type;
  throw new TypeError(`The schema's ${field.name} has no input object as ${argument}.`);
}
