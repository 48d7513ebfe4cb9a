import type { Clock } from "../../core/clock.js";
import type { OnProgress, SyncProgress } from "../progress.js";

type Progress = Omit<Extract<SyncProgress, { readonly total: unknown }>, "type">;

/** Passes progress on, and reports a heartbeat whenever there was none for so long, until `ended` fires. */
export function withHeartbeat(notify: OnProgress, heartbeatMs: number, clock: Clock, ended: AbortSignal) {
  let last: Progress = { collection: undefined, accepted: 0, bytes: 0, total: undefined };
  let stop = () => {};
  const wait = () => {
    stop();
    if (!ended.aborted) stop = clock.after(heartbeatMs, beat);
  };
  const beat = () => {
    notify({ ...last, type: "heartbeat" });
    wait();
  };
  ended.addEventListener("abort", () => stop(), { once: true });
  wait();
  return (event: SyncProgress): void => {
    if (event.type === "progress") last = event;
    wait();
    notify(event);
  };
}
