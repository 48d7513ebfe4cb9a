/** An amount for people; a sum of the SDK stays exact until here. */
export function formatMoney(amount: number | string, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(Number(amount));
}
