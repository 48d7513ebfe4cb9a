/** Answers that do not arrive, or not in time. */
import type { VendorAnswer } from "../../vendor/answer.js";
import { answering, type FaultKind, type Times } from "../kind.js";
import { type Position, spotAt } from "../view.js";

const MINUTE_MS = 60_000;
/** After this time of silence, servers and proxies end a connection. */
const STALL_MS = 10 * MINUTE_MS;
/** Longer than the lease of a batch. */
const SLOW_MS = 20 * MINUTE_MS;

function connection(
  name: string,
  summary: string,
  position: Position,
  times: Times,
  change: (answer: VendorAnswer) => VendorAnswer,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const spot = spotAt(view, position);
      return spot === undefined ? undefined : answering(view, spot, times, change);
    },
  };
}

const reset = (answer: VendorAnswer): VendorAnswer => ({ ...answer, cutAfter: -1 });
const cut = (answer: VendorAnswer): VendorAnswer => ({
  ...answer,
  cutAfter: Math.floor(answer.body.length / 2),
});
const stall = (answer: VendorAnswer): VendorAnswer => ({ ...answer, delayMs: STALL_MS, cutAfter: -1 });
const slow = (answer: VendorAnswer): VendorAnswer => ({ ...answer, delayMs: SLOW_MS });

export const CONNECTIONS: readonly FaultKind[] = [
  connection("reset-once", "the connection is reset before a page, once", "any", "once", reset),
  connection("reset-last-always", "the connection is reset before the last page", "last", "always", reset),
  connection("cut-once", "the connection ends in the middle of a page, once", "any", "once", cut),
  connection("cut-last-always", "the connection ends in the middle of the last page", "last", "always", cut),
  connection(
    "stall-once",
    "a page stays silent for 10 minutes, then the connection ends",
    "any",
    "once",
    stall,
  ),
  connection("stall-last-always", "the last page always stays silent", "last", "always", stall),
  connection("slow-page", "a page takes 20 minutes, longer than the lease", "any", "once", slow),
];
