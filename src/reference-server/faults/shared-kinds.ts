/**
 * When a fault strikes: before the server does anything, or in place of the answer, after it has done everything
 * (for `SyncRecords`: after the records were applied).
 */
export type FaultMoment = "request" | "answer";

/** Holds a call back: all of it, or its answer alone. */
export interface DelayFault {
  /** Tells the kinds of fault apart. */
  readonly type: "delay";
  /** How long, in milliseconds on the server's clock. */
  readonly ms: number;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Says nothing more, until the caller gives up. The connection stands. */
export interface StallFault {
  /** Tells the kinds of fault apart. */
  readonly type: "stall";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Closes the connection that the call came on. */
export interface DropFault {
  /** Tells the kinds of fault apart. */
  readonly type: "drop";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Resets the connection that the call came on (TCP RST). */
export interface ResetFault {
  /** Tells the kinds of fault apart. */
  readonly type: "reset";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Revokes the API key that the call came with, as a person would in the middle of a run. The call then goes on. */
export interface RevokeKeyFault {
  /** Tells the kinds of fault apart. */
  readonly type: "revoke-key";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}
