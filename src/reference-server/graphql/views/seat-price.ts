import Big from "big.js";
import type { PlanPrice } from "../../portfolio.js";

/** An amount, as the schema shows it. */
export type Money = { readonly amount: Big; readonly currency: string };

/** What one seat of a plan costs a year. */
export interface SeatPrice {
  readonly paid: Money;
  /** A seat that is not paid for. */
  readonly free: Money;
}

/** The price of a plan as amounts, which its licenses share. */
export function seatPriceOf({ annualPricePerSeat, currency }: PlanPrice): SeatPrice {
  return {
    paid: { amount: new Big(annualPricePerSeat), currency },
    free: { amount: new Big(0), currency },
  };
}
