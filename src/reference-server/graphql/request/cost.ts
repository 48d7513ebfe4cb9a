import { type DocumentNode, type GraphQLError, Kind, type SelectionSetNode } from "graphql";
import { ErrorCode, requestError } from "../request-error.js";

/** Fields that an operation may have, each counted as often as fragments repeat it. */
const MAXIMUM_FIELDS = 1000;

/** Fields with fields of their own that it may have at its root, where each may be a page of a connection. */
const MAXIMUM_ROOT_FIELDS = 25;

/** Refuses what is short to write and long to answer: fields repeated under other names, fragments within fragments. */
export function checkCost(document: DocumentNode): GraphQLError | undefined {
  const counter = new FieldCounter(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { selectionSet } = definition;
    if (counter.fields(selectionSet, "all") > MAXIMUM_FIELDS)
      return tooCostly(`The operation has more than ${MAXIMUM_FIELDS} fields.`);
    if (counter.fields(selectionSet, "top") > MAXIMUM_ROOT_FIELDS)
      return tooCostly(`The operation has more than ${MAXIMUM_ROOT_FIELDS} fields at its root.`);
  }
  return undefined;
}

function tooCostly(message: string): GraphQLError {
  return requestError(ErrorCode.tooCostly, message);
}

type Levels = "all" | "top";

/** Counts fields. Each fragment is looked through once, however often it is spread. */
class FieldCounter {
  readonly #fragments = new Map<string, SelectionSetNode>();
  readonly #counted = new Map<string, number>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition.selectionSet);
    }
  }

  fields({ selections }: SelectionSetNode, levels: Levels): number {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) sum += this.#ofFragment(selection.name.value, levels);
      else if (selection.kind === Kind.INLINE_FRAGMENT) sum += this.fields(selection.selectionSet, levels);
      else if (levels === "top") sum += selection.selectionSet === undefined ? 0 : 1;
      else if (selection.selectionSet === undefined) sum += 1;
      else sum += 1 + this.fields(selection.selectionSet, levels);
    }
    return sum;
  }

  #ofFragment(name: string, levels: Levels): number {
    const key = `${levels} ${name}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined) return counted;
    // What spreads itself is refused by the validation.
    this.#counted.set(key, 0);
    const fragment = this.#fragments.get(name);
    const count = fragment === undefined ? 0 : this.fields(fragment, levels);
    this.#counted.set(key, count);
    return count;
  }
}
