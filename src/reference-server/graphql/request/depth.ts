import { type DocumentNode, type GraphQLError, Kind, visit } from "graphql";
import { ErrorCode, requestError } from "../request-error.js";

/** How deep selections and values may be nested. The standard introspection query takes 13. */
const MAXIMUM_DEPTH = 64;

const nesting: ReadonlySet<string> = new Set([Kind.SELECTION_SET, Kind.OBJECT, Kind.LIST]);

/** Refuses what is nested so deeply that working on it could exhaust the stack. */
export function checkDepth(document: DocumentNode, variables: unknown): GraphQLError | undefined {
  let depth = 0;
  let deepest = 0;
  visit(document, {
    enter(node) {
      if (!nesting.has(node.kind)) return;
      depth += 1;
      deepest = Math.max(deepest, depth);
    },
    leave(node) {
      if (nesting.has(node.kind)) depth -= 1;
    },
  });
  if (deepest <= MAXIMUM_DEPTH && !isDeeperThan(variables, MAXIMUM_DEPTH)) return undefined;
  return requestError(ErrorCode.tooDeep, `The request is nested more than ${MAXIMUM_DEPTH} levels deep.`);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}
