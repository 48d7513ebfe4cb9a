import { ALTERED } from "./altered.js";
import { FAILING } from "./failing.js";
import type { RecordFault } from "./record-fault.js";

/** What can go wrong with a source of records, whatever it reads. */
export const RECORD_FAULTS: readonly RecordFault[] = [...FAILING, ...ALTERED];
