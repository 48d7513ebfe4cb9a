/**
 * When a fault strikes: before the server does anything, or in place of the answer, after it has done everything
 * (for `SyncRecords`: after the records were applied).
 */
export type FaultMoment = "request" | "answer";

/** What the kinds have in common that can strike before or after the server did its work. */
interface AtMoment {
  /** @default "request" */
  readonly at?: FaultMoment;
}

/** Holds a call back: all of it, or its answer alone. */
export interface DelayFault extends AtMoment {
  /** Tells the kinds of fault apart. */
  readonly type: "delay";
  /** How long, in milliseconds on the server's clock. */
  readonly ms: number;
}

/** Says nothing more, until the caller gives up. The connection stands. */
export interface StallFault extends AtMoment {
  /** Tells the kinds of fault apart. */
  readonly type: "stall";
}

/** Closes the connection that the call came on. */
export interface DropFault extends AtMoment {
  /** Tells the kinds of fault apart. */
  readonly type: "drop";
}

/** Resets the connection that the call came on (TCP RST). */
export interface ResetFault extends AtMoment {
  /** Tells the kinds of fault apart. */
  readonly type: "reset";
}

/** Revokes the API key that the call came with, as a person would in the middle of a run. The call then goes on. */
export interface RevokeKeyFault extends AtMoment {
  /** Tells the kinds of fault apart. */
  readonly type: "revoke-key";
}
