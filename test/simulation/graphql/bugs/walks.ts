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
    name: "a missing cursor ends the walk as if it were at its end",
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
    name: "the last page is asked for with the whole page size",
    file: "graphql/paging/page-walk.ts",
    right: "size: Math.min(this.#plan.pageSize, this.#left)",
    wrong: "size: this.#plan.pageSize",
  },
  {
    name: "a page that is larger than asked for goes past the limit",
    file: "graphql/paging/page-walk.ts",
    right: "if (nodes.length <= this.#left) return nodes;",
    wrong: "return nodes;",
  },
  {
    name: "the position is that of the walk's beginning",
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
    name: "backward the nodes of a page come out in the service's order",
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
    name: "a page too many is asked for ahead",
    file: "graphql/paging/connection.ts",
    right: "const page = await this.#pages.next();",
    wrong:
      "const page = await (this.ahead ?? this.#pages.next()); this.ahead = page.done ? undefined : this.#pages.next(); this.ahead?.catch(() => {});",
  },
  {
    name: "the page ahead is asked for twice",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#prefetch(next);",
    wrong: "this.#prefetch(next); this.#prefetch(next);",
  },
  {
    name: "a page that was asked for ahead is not cancelled where the loop is left",
    file: "graphql/paging/page-iterator.ts",
    right: 'this.#abort.abort(new Error("The iteration was left."));',
    wrong: "",
  },
  {
    name: "a page that fails ahead is nobody's",
    file: "graphql/paging/page-iterator.ts",
    right: "fetch.catch((error: unknown) => {",
    wrong:
      "fetch.then(() => {}, (error: unknown) => { throw error; });\n    fetch.catch((error: unknown) => {",
  },
  {
    name: "the walk stays on its caller's signal",
    file: "graphql/paging/page-iterator.ts",
    right: ".finally(unlink)",
    wrong: "",
  },
  {
    name: "a page that failed is not asked for again",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#ahead ?? this.#fetch(request);",
    wrong:
      "this.#ahead ?? (this.failed ??= this.#fetch(request)); fetch.then(() => { this.failed = undefined; }, () => {});",
  },
  {
    name: "steps of a walk overtake each other",
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
