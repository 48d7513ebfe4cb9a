import { InvalidInputError } from "../../core/errors/index.js";
import type { Ledger } from "./ledger.js";

/**
 * Checks the option `ledger`.
 * @returns undefined for `"none"`
 * @throws {InvalidInputError} it is neither a ledger nor `"none"`
 */
export function checkLedger(ledger: unknown): Ledger | undefined {
  if (ledger === "none") return undefined;
  if (isLedger(ledger)) return ledger;
  throw new InvalidInputError(
    'ledger must be fileLedger(directory), another ledger, or "none": without one nothing keeps a truncated snapshot from removing what exists.',
  );
}

function isLedger(value: unknown): value is Ledger {
  if (typeof value !== "object" || value === null) return false;
  const methods = ["known", "draft", "hold", "held", "release"];
  const [keyOf, directory] = ["keyOf", "directory"].map((name): unknown => Reflect.get(value, name));
  return (
    methods.every((name) => typeof Reflect.get(value, name) === "function") &&
    (keyOf === undefined || typeof keyOf === "function") &&
    (directory === undefined || typeof directory === "string")
  );
}
