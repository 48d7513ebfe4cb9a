import { InvalidInputError } from "../../errors.js";
import type { Logger } from "../../logger.js";
import type { SnapshotCollection } from "../collections.js";
import { resolveSyncOptions, type SyncConfiguration, type SyncTuning } from "../configuration.js";
import { checkSnapshots } from "../run-options.js";
import { checkLedger } from "../safety/check-ledger.js";
import { type GuardRules, resolveGuard } from "../safety/guard-rules.js";
import type { Ledger, LedgerScope } from "../safety/ledger.js";
import type { SafetyOptions } from "../safety/safety-options.js";

/** Options of {@link previewSync}: those of the run that is previewed, as far as they mean anything without a server. */
export interface PreviewOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Pick<SafetyOptions, "ledger" | "guard">,
    Pick<SyncTuning, "maxSendMessageBytes" | "messageBytes" | "windowBytes"> {
  /** The snapshot collections of the run: each is written exactly once, as a whole. */
  readonly snapshots: readonly Snapshots[];
  /**
   * Endpoint of the Sync API that the run pushes to; required where there is a ledger, and never connected to.
   * @default none
   */
  readonly endpoint?: string | undefined;
  /** Id of the installation that the run pushes to; required where there is a ledger. @default none */
  readonly installationId?: string | undefined;
  /** Most entries that `issues` of a collection holds. @default 100 */
  readonly maxIssues?: number | undefined;
  /** Ends the preview; it rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Takes the log lines of the write path. @default nothing is logged */
  readonly logger?: Logger | undefined;
}

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
 * Checks the options.
 * @throws {InvalidInputError | ConfigurationError} naming the option and what is allowed
 */
export function resolvePreview(options: PreviewOptions): ResolvedPreview {
  const { endpoint = NO_ENDPOINT, installationId = "preview", maxIssues = 100 } = options;
  checkSnapshots(options.snapshots);
  const ledger = checkLedger(options.ledger);
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
