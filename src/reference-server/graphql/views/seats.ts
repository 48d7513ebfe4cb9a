import type { GenericPlanDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";

/** What the seats of a plan are counted by. */
export interface SeatHolder {
  /** Whether the license consumes a paid seat. */
  readonly isBillable: boolean;
  readonly isUsed: boolean;
}

/** How many seats a plan has. */
export interface Seats {
  readonly total: number;
  readonly inUse: number;
  readonly unused: number;
  readonly paid: number;
  /** Those of the paid ones that nobody uses. */
  readonly paidUnused: number;
}

/** Counts the seats of a plan by its record and its licenses. */
export function countSeats(plan: GenericPlanDetails, licenses: readonly SeatHolder[]): Seats {
  const { paidSeats, consumedSeats = 0 } = plan.details?.seatBased ?? {};
  // Where no assignment was synced, the source's own count is all there is to go by.
  const isAssigned = licenses.length > 0;
  const billable = licenses.filter(({ isBillable }) => isBillable);
  const taken = isAssigned ? licenses.length : consumedSeats;
  const inUse = isAssigned ? licenses.filter(({ isUsed }) => isUsed).length : consumedSeats;
  const paidTaken = isAssigned ? billable.length : consumedSeats;
  const total = paidSeats ?? taken;
  const paid = paidSeats ?? paidTaken;
  // A seat that is paid for and assigned to nobody is as unused as one whose holder does not use it.
  const unused = taken - inUse + Math.max(0, total - taken);
  const billableUnused = billable.filter(({ isUsed }) => !isUsed).length;
  const paidUnused = Math.min(paid, billableUnused + Math.max(0, paid - paidTaken));
  return { total, inUse, unused, paid, paidUnused };
}
