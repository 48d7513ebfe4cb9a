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
    right: "if (this.#seen.has(cursor)) {",
    wrong: "if (this.#seen.size < 0) {",
  },
  {
    name: "a missing cursor ends the walk as if it were at its end",
    file: "graphql/paging/page-walk.ts",
    right: "const goesOn = page.pageInfo[more] && ",
    wrong: "const goesOn = page.pageInfo[more] && page.pageInfo[cursorField] !== null && ",
  },
  {
    name: "an empty page ends the walk",
    file: "graphql/paging/page-walk.ts",
    right: "const goesOn = page.pageInfo[more] && ",
    wrong: "const goesOn = page.pageInfo[more] && nodes.length > 0 && ",
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
    file: "graphql/paging/node-iterator.ts",
    right: 'return direction === "forward" ? nodes',
    wrong: "return direction ? nodes",
  },
  {
    name: "prefetch cannot be turned off",
    file: "graphql/paging/page-iterator.ts",
    right: "const ahead = this.#plan.prefetch && ",
    wrong: "const ahead = ",
  },
  {
    name: "a page too many is asked for ahead",
    file: "graphql/paging/node-iterator.ts",
    right: "const page = await this.#pages.advance();",
    wrong:
      "const page = await (this.ahead ?? this.#pages.advance()); this.ahead = page.done ? undefined : this.#pages.advance(); this.ahead?.catch(() => {});",
  },
  {
    name: "the page ahead is asked for twice",
    file: "graphql/paging/page-iterator.ts",
    right: "this.#fetch(ahead);",
    wrong: "this.#fetch(ahead); this.#fetch(ahead);",
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
    right: "fetch.catch(() => {});",
    wrong: "",
  },
  {
    name: "the walk stays on its caller's signal",
    file: "graphql/paging/page-iterator.ts",
    right: "page.finally(follow(signal, this.#abort))",
    wrong: "(follow(signal, this.#abort), page)",
  },
  {
    name: "a page that failed is not asked for again",
    file: "graphql/paging/page-iterator.ts",
    right: "if (this.#underWay === fetch) this.#underWay = undefined;",
    wrong: "",
  },
  {
    name: "steps of a walk overtake each other",
    file: "graphql/paging/turns.ts",
    right: "this.#last === undefined ? step() : this.#last.then(step)",
    wrong: "step()",
  },
  {
    name: "the filter is sent with the first page only",
    file: "graphql/paging/paginate.ts",
    right: "{ ...variables, ...page, [names.cursor]: cursor };",
    wrong: "{ ...(cursor === undefined ? variables : {}), ...page, [names.cursor]: cursor };",
  },
  {
    name: "totalCount is the number of nodes of a page",
    file: "graphql/paging/connection.ts",
    right: "readCount(connection?.totalCount)",
    wrong: "readCount(connection?.nodes?.length)",
  },
];
