import { asTypedByHand } from "./hr-export.js";
import type { Random } from "./random.js";
import type { Holder, Seat, SeatCounts } from "./seats.js";
import { sortedBy } from "./text.js";

/** A plan that a vendor sells to the company. */
export interface PlanOnSale {
  readonly id: string;
  readonly product: string;
  readonly name: string;
  readonly seats: SeatCounts;
}

/** An account at a vendor, and the seats that it holds. */
export interface Account {
  readonly id: string;
  readonly holder: Holder;
}

/** A seat and its account, for the usage log. */
export interface UsedSeat extends Seat {
  readonly accountId: string;
}

/** The export of one vendor's console. */
export interface VendorExport {
  /** Contents by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly usedSeats: readonly UsedSeat[];
}

/** One account per holder, numbered in the order of joining. */
export function accountsOf(holders: Iterable<Holder>, newId: (index: number) => string): Account[] {
  return sortedBy([...new Set(holders)], ({ since, email }) => since + email).map((holder, index) => {
    return { id: newId(index), holder };
  });
}

/** The seats with the ids of their accounts. Seats without a holder get ids that are in no user list. */
export function withAccounts(
  seats: readonly Seat[],
  accounts: readonly Account[],
  deletedId: () => string,
): UsedSeat[] {
  const ids = new Map<Holder | undefined, string>(accounts.map(({ id, holder }) => [holder, id]));
  return seats.map((seat) => ({ ...seat, accountId: ids.get(seat.holder) ?? deletedId() }));
}

/** An address in a console; some differ in case from the HR system. */
export function asWritten(email: string, random: Random): string {
  if (random.chance(0.12)) return asTypedByHand(email);
  return random.chance(0.03) ? email.toUpperCase() : email;
}
