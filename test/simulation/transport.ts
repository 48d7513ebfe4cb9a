import { SyncProtocolError } from "@saas-management/sdk";
import type {
  CallContext,
  CompletionCounts,
  StoredMessage,
  SyncTransport,
} from "../../src/sync/transport.js";
import { Conduct } from "./conduct.js";
import type { FaultKind, FaultSchedule } from "./faults.js";
import { FaultyNetwork } from "./faulty-network.js";
import { LockLog } from "./lock-log.js";
import { loaded, type SentMessage } from "./messages.js";
import type { Observation } from "./observation.js";
import type { Program } from "./program.js";
import type { ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

/** Statuses after which a retry may succeed. INTERNAL is included because a reset stream reports this status. */
const TRANSIENT: ReadonlySet<number> = new Set([1, 4, 8, 13, 14]);

/** Faults that leave a client without an answer. */
const LOSES_ANSWER: ReadonlySet<FaultKind["type"]> = new Set(["lost", "late", "stalled", "killed"]);

/** The four operations, carried out by the model of the service over a faulty network. */
export class SimulatedTransport implements SyncTransport {
  readonly #service: ServiceModel;
  readonly #clock: SimClock;
  readonly #network: FaultyNetwork;
  /** What the client does on the wire. */
  readonly conduct: Conduct;
  readonly locks = new LockLog();
  /** Batches for which the service acknowledged fewer records than it was sent. */
  readonly undercounted = new Set<string>();

  /** @param died Called when a fault has killed the process. */
  constructor(
    service: ServiceModel,
    faults: FaultSchedule,
    clock: SimClock,
    observation: Observation,
    options: Pick<Program, "limitBytes">,
    died: () => void,
  ) {
    this.#service = service;
    this.#clock = clock;
    this.#network = new FaultyNetwork(service, faults, clock, this.locks, died);
    this.conduct = new Conduct(clock, observation, options);
  }

  /** Ends the process, so that nothing more reaches the service. */
  crash(): void {
    this.locks.crashed = true;
  }

  async startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }> {
    this.locks.underWay += 1;
    this.conduct.call("StartSyncBatch");
    try {
      const started = await this.#network.call("StartSyncBatch", call, installationId, {
        effect: () => ({ batchId: this.#service.start(this.#clock.now()).id }),
        struck: ({ type }) => {
          if (LOSES_ANSWER.has(type)) this.locks.unanswered += 1;
        },
      });
      this.locks.started(started.batchId);
      return started;
    } finally {
      this.locks.underWay -= 1;
    }
  }

  async syncRecords(
    given: readonly (Uint8Array | StoredMessage)[],
    call: CallContext,
  ): Promise<{ readonly accepted: number | undefined }> {
    const sent = this.conduct.stream(await loaded(given), call.signal);
    const { batchId, records } = sent;
    const half = sent.messages.slice(0, Math.floor(sent.messages.length / 2));
    const stream = this.#service.openStream();
    const apply = (some: readonly SentMessage[]) => {
      try {
        for (const { batchId, message } of some)
          this.#service.apply(batchId, stream, message, this.#clock.now());
      } finally {
        this.#service.closeStream(batchId, stream);
      }
      return { accepted: some.reduce((sum, { message }) => sum + message.keys.length, 0) };
    };
    try {
      const answer = await this.#network.call("SyncRecords", call, "", {
        effect: (kind): { accepted: number | undefined } =>
          apply(kind?.type === "early" ? half : sent.messages),
        half: () => apply(half),
        empty: { accepted: undefined },
        can: ({ type }) => (type === "undercounted" ? records > 0 : type !== "early" || half.length > 0),
        refused: (code) => {
          if (!TRANSIENT.has(code)) sent.refused();
        },
        answer: (kind, { accepted }) => {
          if (kind.type === "early" && !kind.counted) throw saysNothing();
          return { accepted: kind.type === "undercounted" ? Number(accepted) - 1 : accepted };
        },
      });
      if (answer.accepted === records) sent.accepted();
      else this.undercounted.add(batchId);
      return answer;
    } finally {
      sent.ended();
    }
  }

  completeBatch(batchId: string, call: CallContext): Promise<CompletionCounts> {
    this.conduct.complete(batchId);
    return this.#network.call("CompleteSyncBatch", call, "", {
      effect: () => {
        this.#service.complete(batchId, this.#clock.now());
        return Object.fromEntries(this.#service.includedIn(batchId).map((collection) => [collection, {}]));
      },
      empty: {},
      can: ({ type }) => type !== "empty" || this.#service.includedIn(batchId).length > 0,
    });
  }

  async abortBatch(batchId: string, call: CallContext): Promise<void> {
    const failed = () => this.locks.failedAborts.add(batchId);
    this.conduct.call("AbortSyncBatch", batchId);
    try {
      await this.#network.call("AbortSyncBatch", call, "", {
        effect: (kind) => {
          const isCompleted = () => this.#service.stateOf(batchId, this.#clock.now()) === "completed";
          if (kind?.type === "forgotten" && isCompleted()) return;
          this.#service.abort(batchId, this.#clock.now());
        },
        struck: ({ type }) => void (type !== "forgotten" && failed()),
      });
    } catch (error) {
      if (this.#service.keyRevoked) failed();
      if (saysCompleted(error) && !this.locks.failedAborts.has(batchId))
        this.conduct.foundCompleted.add(batchId);
      throw error;
    }
  }

  close(): void {
    this.locks.closed = true;
  }
}

/** Whether the service refused something because the batch is completed. */
function saysCompleted(error: unknown): boolean {
  return error instanceof SyncProtocolError && error.batchState === "completed";
}

/** The error for an answer that has no count and arrives before everything has been sent. */
function saysNothing(): SyncProtocolError {
  return new SyncProtocolError("SyncRecords: the answer came before everything was sent.");
}
