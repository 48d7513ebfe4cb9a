import type { Clock } from "../../core/clock.js";
import type { Workspace } from "../workspace.js";
import type { Page, PageArguments } from "./connection/page.js";

/** Changes a page of a connection, or leaves it as it is. */
export type BreakPage = <R>(page: Page<R>, args: PageArguments) => Page<R>;

/** What the resolvers know of the request they answer. */
export type RequestContext = {
  /** The workspace of the key: all that the request can see or change. */
  readonly workspace: Workspace;
  /** Whether the key may change anything. */
  readonly canWrite: boolean;
  readonly clock: Clock;
  /** Number of items that a page may have at most. */
  readonly maximumPageSize: number;
  /** What faults make of a page. */
  readonly breakPage: BreakPage;
};
