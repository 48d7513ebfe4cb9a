/** Stands in every variable, row and cursor: it must be in nothing that is shown or logged. */
export const CANARY = "canary-5d81c4";

/** Begins every key. */
export const KEY_CANARY = "key-canary-e27b";
