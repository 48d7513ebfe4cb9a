import type { DueFault } from "../../faults/faults.js";
import type { GraphQLFaultKind, PageInfoFault } from "../../faults/graphql-kinds.js";
import type { Page, PageArguments } from "../connection/page.js";
import type { BreakPage } from "../context.js";

/** What the faults that are due make of the pages of a request. One strikes once, however many pages it breaks. */
export function pageBreaker(due: readonly DueFault<GraphQLFaultKind>[]): BreakPage {
  let struck = false;
  for (const { kind, strikes } of due) {
    if (kind.type !== "page-info") continue;
    return (page, args) => {
      struck ||= strikes();
      return struck ? broken(page, args, kind.cursor) : page;
    };
  }
  return (page) => page;
}

function broken<R>(page: Page<R>, args: PageArguments, cursor: PageInfoFault["cursor"]): Page<R> {
  const { startCursor, endCursor } = page.pageInfo;
  const cursors =
    cursor === "missing"
      ? { startCursor: null, endCursor: null }
      : { startCursor: args.before ?? startCursor, endCursor: args.after ?? endCursor };
  return { ...page, pageInfo: { hasNextPage: true, hasPreviousPage: true, ...cursors } };
}
