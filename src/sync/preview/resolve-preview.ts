import { InvalidInputError } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import { type GuardRules, resolveGuard } from "../guard/rules.js";
import { type Ledger, type LedgerScope, requireLedger } from "../ledger/ledger.js";
import { resolveSyncOptions, type SyncConfiguration } from "../options.js";
import type { PreviewOptions } from "./preview-options.js";

/** The options, checked and with every value set. */
export interface ResolvedPreview {
  readonly configuration: SyncConfiguration;
  readonly installationId: string;
  readonly ledger: Ledger | undefined;
  readonly rules: GuardRules;
  readonly maxIssues: number;
  scopeOf(collection: SnapshotCollection): LedgerScope;
}

/** Takes the place of an endpoint that nobody connects to. */
const NO_ENDPOINT = "https://preview.invalid";

/**
 * Checks the options, but for what they declare.
 * @throws {InvalidInputError | ConfigurationError} naming the option and what is allowed
 */
export function resolvePreview(options: PreviewOptions): ResolvedPreview {
  const { endpoint = NO_ENDPOINT, installationId = "preview", maxIssues = 100 } = options;
  const ledger = requireLedger(options.ledger);
  if (ledger !== undefined && (!options.endpoint || !options.installationId)) {
    throw new InvalidInputError(
      'endpoint and installationId must be those of the run: a ledger keeps the ids of each service and installation by themselves. Give both, or ledger: "none".',
    );
  }
  if (!Number.isInteger(maxIssues) || maxIssues < 0)
    throw new InvalidInputError("maxIssues must be a whole number, 0 or more.");
  const { maxSendMessageBytes, messageBytes, windowBytes, logger } = options;
  const configuration = resolveSyncOptions({
    endpoint,
    // Nothing is sent, so nothing reads it.
    authorization: () => "preview",
    maxSendMessageBytes,
    messageBytes,
    windowBytes,
    logger,
  });
  return {
    configuration,
    installationId,
    ledger,
    rules: resolveGuard(options.guard),
    maxIssues,
    scopeOf: (collection) => ({ endpoint: configuration.endpoint.origin, installationId, collection }),
  };
}
