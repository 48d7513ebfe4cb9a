/** What is around the processes of a program. */
import fc from "fast-check";

/** From nothing to everything; what is between has messages on both sides of the border. */
export const memoryBytes = fc.constantFrom(undefined, 0, 150, 400, 900);

/** How long a ledger takes, and who starts a process again, in milliseconds. */
export const ledgerMs = fc.constantFrom(0, 0, 3, 100);
export const restartAfterMs = fc.constantFrom(0, 12_000, 60_000, 20 * 60_000);
