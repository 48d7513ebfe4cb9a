import { type HeldSnapshot, RemovalGuardError, SaasManagementError } from "../../core/errors/index.js";
import type { HoldReason } from "../ledger/ledger.js";
import { count } from "../progress.js";
import type { Offer } from "./approval.js";
import type { SnapshotJudgement } from "./snapshot.js";

/** A snapshot that is held, with what the error says of it. */
export interface HeldJudgement extends SnapshotJudgement {
  readonly collection: string;
  readonly held: HoldReason;
  /** Path of the list of what would be removed. */
  readonly listedIn: string | undefined;
  /** Why the approval that was given does not cover it. */
  readonly refusal: string | undefined;
}

/** Why no approval can be given. */
export type NoOffer = "no-ledger" | "not-stored";

const NO_OFFER: Readonly<Record<NoOffer, string>> = {
  "no-ledger":
    'Nothing can be approved of with ledger: "none". Run again when the source is whole; fileLedger(directory) keeps approvals.',
  "not-stored":
    "An approval could not be stored, because the ledger failed; the log has its error. Of a fileLedger look at the directory and the space on its disk.",
};

/**
 * The error of a run that is held. It is made before the batch is aborted, and somebody else may complete that by its
 * id: what is said of the batch is what this run did with it.
 */
export function heldError(
  batchId: string,
  held: readonly HeldJudgement[],
  offer: Offer | NoOffer,
  /** Collections that are not held, because they were approved of, and that the offer is about as well. */
  renewed: readonly string[] = [],
): RemovalGuardError {
  const added = held.reduce((sum, { compared }) => sum + compared.new, 0);
  const offered = typeof offer === "string" ? undefined : offer;
  const expiresAt = offered === undefined ? undefined : new Date(offered.expiresAt);
  const sentences = [
    `The run was held, and has removed nothing: ${held.map(describeHeld).join("; ")}.`,
    ...held.flatMap(({ collection, refusal }) =>
      refusal === undefined ? [] : [`approveRemovals does not cover ${collection}: ${refusal}.`],
    ),
    `It did not complete its batch.${added === 0 ? "" : ` Records that it added or updated are visible already (${count(added)} ids are new); they stay until a later snapshot takes them in or removes them.`}`,
    "A filtered, truncated or partly paged source looks like this: look at the source first.",
    typeof offer === "string"
      ? NO_OFFER[offer]
      : `If it is right nevertheless, run again with approveRemovals: ${JSON.stringify(offer.id)} before ${expiresAt?.toISOString()}.${renewed.length === 0 ? "" : ` That covers ${renewed.join(", ")} too, as approveRemovals did.`}`,
  ];
  return new RemovalGuardError(sentences.join(" "), {
    batchId,
    collections: held.map(snapshotOf),
    approvalId: offered?.id,
    approvalExpiresAt: expiresAt,
    cause: held.find(({ problem }) => problem !== undefined)?.problem,
  });
}

/** Why a snapshot is held, in a sentence without its end. */
export function describeHeld({ collection, held, compared, listedIn, problem }: HeldJudgement): string {
  if (held !== "removals") {
    const listed = listedIn === undefined ? "" : `, which are listed in ${listedIn}`;
    const approving = `(approving takes the ${count(compared.sent)} ids of this run as the new baseline${listed})`;
    if (held === "no-baseline")
      return `the ledger knows nothing of ${collection}, and guard.requireBaseline wants it to ${approving}`;
    const why = problem instanceof SaasManagementError ? ` (${problem.message})` : "";
    const { gone, known } = compared;
    const readable =
      known === 0
        ? ""
        : `; of what can be read, ${count(gone)} of ${count(known)} known ids would be removed`;
    return `what the ledger knows of ${collection} cannot be read${why}${readable} ${approving}`;
  }
  const { sets } = compared;
  const { known, gone } = compared.all;
  const goneSinceAttempt = gone - compared.gone;
  const attempt =
    goneSinceAttempt === 0
      ? ""
      : `, ${count(goneSinceAttempt)} of them sent by an earlier attempt of this run`;
  const completed = sets.find(({ origin }) => origin === "completed");
  const ofCompleted =
    sets.length < 2 || completed === undefined
      ? ""
      : `, among them ${count(completed.gone)} of the ${count(completed.known)} of the last completed snapshot`;
  const listed = goneSinceAttempt === 0 ? "all" : "those of the ledger";
  const list = listedIn === undefined ? "" : `; ${listed} are listed in ${listedIn}`;
  return `${count(gone)} of ${count(known)} known ids of ${collection} would be removed (${percent(gone / known)}${ofCompleted}${attempt}${list})`;
}

function snapshotOf({ collection, held, compared, listedIn }: HeldJudgement): HeldSnapshot {
  const { known, gone } = compared.all;
  return {
    collection,
    reason: held,
    known,
    sent: compared.sent,
    added: compared.new,
    kept: known - gone,
    removed: gone,
    removedShare: known === 0 ? 0 : gone / known,
    firstRemoved: compared.firstGone,
    listedIn,
  };
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
