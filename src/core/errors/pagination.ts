import { type ErrorDetails, notePosition, SaasManagementError } from "./base.js";
import type { WalkPosition } from "./facts.js";

/** A connection cannot be walked on: its cursor repeats or is missing, or what came is no page. */
export class PaginationError extends SaasManagementError {
  static readonly code = "PAGINATION";
  /** @internal */
  static override readonly name = "PaginationError";
  override readonly code = PaginationError.code;

  constructor(message: string, details: ErrorDetails & WalkPosition) {
    super(message, details);
    const { cursor, nodesYielded } = details;
    notePosition(this, { cursor, nodesYielded });
  }

  /** Cursor of the last page that was good: what to go on from. The same as in `position`. */
  get cursor(): string | undefined {
    return this.position?.cursor;
  }

  /** Number of nodes that were handed out before. The same as in `position`. */
  get nodesYielded(): number {
    return this.position?.nodesYielded ?? 0;
  }
}
