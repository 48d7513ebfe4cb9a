/** Formats an amount for people; the SDK's sums are exact up to this point. */
export function formatMoney(amount: number | string, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(Number(amount));
}
