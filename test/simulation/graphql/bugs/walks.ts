import type { Bug } from "../../bug.js";

/** Bugs of walks over pages. */
export const WALK_BUGS: readonly Bug[] = [
  {
    name: "the last node of a page is dropped",
    file: "graphql/paging/page-walk.ts",
    right: "nodes: nodes ?? [],",
    wrong: "nodes: (nodes ?? []).slice(0, -1),",
  },
  {
    name: "a cursor that repeats is followed",
    file: "graphql/paging/page-walk.ts",
    right: "if (this.#seen.has(cursor))",
    wrong: "if (this.#seen.size < 0)",
  },
  {
    name: "a missing cursor ends the walk silently",
    file: "graphql/paging/page-walk.ts",
    right: "const continues = page.pageInfo[more] && ",
    wrong: "const continues = page.pageInfo[more] && page.pageInfo[cursorField] !== null && ",
  },
  {
    name: "an empty page ends the walk",
    file: "graphql/paging/page-walk.ts",
    right: "const continues = page.pageInfo[more] && ",
    wrong: "const continues = page.pageInfo[more] && nodes.length > 0 && ",
  },
  {
    name: "the last page is requested with the full page size",
    file: "graphql/paging/page-walk.ts",
    right: "size: Math.min(this.#plan.pageSize, this.#left)",
    wrong: "size: this.#plan.pageSize",
  },
  {
    name: "a page that is too large exceeds the limit",
    file: "graphql/paging/page-walk.ts",
    right: "if (nodes.length <= this.#left) return nodes;",
    wrong: "return nodes;",
  },
  {
    name: "the position is that of the walk's start",
    file: "graphql/paging/page-walk.ts",
    right: "return { cursor: this.#cursor, nodesYielded",
    wrong: "return { cursor: this.#plan.start, nodesYielded",
  },
  {
    name: "the position of toArray is where it failed",
    file: "graphql/paging/connection.ts",
    right: "if (signal?.aborted !== true) annotate(error, { position: { cursor: start, nodesYielded: 0 } });",
    wrong: "",
  },
  {
    name: "backward, the nodes of a page are yielded in the service's order",
    file: "graphql/paging/connection.ts",
    right: 'return direction === "forward" ? nodes',
    wrong: "return direction ? nodes",
  },
  {
    name: "prefetch cannot be turned off",
    file: "graphql/paging/page-iterator.ts",
    right: "const next = prefetch && ",
    wrong: "const next = ",
  },
  {
    name: "two pages are prefetched",
    file: "graphql/paging/connection.ts",
    right: "const page = await this.#pages.next();",
    wrong:
      "const page = await (this.ahead ?? this.#pages.next()); this.ahead = page.done ? undefined : this.#pages.next(); this.ahead?.catch(() => {});",
  },
  {
    name: "the next page is requested twice",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#prefetch(next);",
    wrong: "this.#prefetch(next); this.#prefetch(next);",
  },
  {
    name: "a prefetch is not cancelled when the loop is left",
    file: "graphql/paging/page-iterator.ts",
    right: 'this.#abort.abort(new Error("The iteration was left."));',
    wrong: "",
  },
  {
    name: "a failed prefetch is an unhandled rejection",
    file: "graphql/paging/page-iterator.ts",
    right: "fetch.catch((error: unknown) => {",
    wrong:
      "fetch.then(() => {}, (error: unknown) => { throw error; });\n    fetch.catch((error: unknown) => {",
  },
  {
    name: "a listener stays on the caller's signal",
    file: "graphql/paging/page-iterator.ts",
    right: ".finally(unlink)",
    wrong: "",
  },
  {
    name: "a page that was consumed is used again",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#ahead ?? this.#fetch(request);",
    wrong: "this.#ahead ?? this.#running ?? this.#fetch(request);",
  },
  {
    name: "concurrent steps are not queued",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#last === undefined ? step() : this.#last.then(step)",
    wrong: "step()",
  },
  {
    name: "the filter is sent with the first page only",
    file: "graphql/paging/paginate.ts",
    right: "...variables,\n      ...(declares",
    wrong: "...(cursor === undefined ? variables : {}),\n      ...(declares",
  },
  {
    name: "totalCount is the number of nodes of a page",
    file: "graphql/paging/connection.ts",
    right: "readCount(connection?.totalCount)",
    wrong: "readCount(connection?.nodes?.length)",
  },
];
