/** Part of every variable, row and cursor: it must not be in anything that is shown or logged. */
export const CANARY = "canary-5d81c4";

/** The beginning of every key. */
export const KEY_CANARY = "key-canary-e27b";
