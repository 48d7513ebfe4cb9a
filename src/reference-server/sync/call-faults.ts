import type { Clock } from "../../clock.js";
import type { FaultMoment, SyncFaultKind } from "../fault-types.js";
import { Refusal } from "./refusal.js";

/** What a fault needs to know of the call that it strikes. */
export interface StruckCall {
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Destroys the connection that the call came on. */
  drop(): void;
}

/** The call gets no answer: its connection is gone. */
export class NoAnswer extends Error {}

/**
 * Lets those faults strike whose moment has come.
 * @throws Refusal for a status, {@link NoAnswer} for a dropped connection or a caller who did not wait.
 */
export async function strike(
  kinds: readonly SyncFaultKind[],
  moment: FaultMoment,
  call: StruckCall,
  clock: Clock,
): Promise<void> {
  for (const kind of kinds) {
    const at = kind.type === "delay" ? "request" : (kind.at ?? "request");
    if (at !== moment) continue;
    if (kind.type === "delay") {
      await clock.sleep(kind.ms, call.signal).catch(() => {
        throw new NoAnswer();
      });
    } else if (kind.type === "drop") {
      call.drop();
      throw new NoAnswer();
    } else {
      throw new Refusal(kind.code, kind.details ?? "Injected fault.", kind.trailers);
    }
  }
}
