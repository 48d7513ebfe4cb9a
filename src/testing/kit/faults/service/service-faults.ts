import { INJECTED_FAULTS } from "./injected.js";
import { LOCK_FAULTS } from "./locks.js";
import { OUTAGES } from "./outages.js";
import type { ServiceFault } from "./service-fault.js";

/** All faults of the service that strike within one process. */
export const SERVICE_FAULTS: readonly ServiceFault[] = [...INJECTED_FAULTS, ...LOCK_FAULTS, ...OUTAGES];
