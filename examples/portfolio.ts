/** What no export contains: prices, contracts and applications of the fictional company. */
import type { Portfolio } from "@saas-management/sdk/testing";

/** The portfolio on a given day. Some contracts always renew within the next 90 days. */
export function portfolioOn(today: Date): Portfolio {
  const renewal = (inDays: number, noticeDays: number) => ({
    upcomingDate: { value: dayAfter(today, inDays), origin: "INTEGRATION" as const },
    terminationPeriod: { value: noticeDays, origin: "MANUAL" as const },
  });
  return {
    unusedAfterDays: 30,
    applications: [
      {
        name: "Tuschgrün Studio",
        vendorName: "Tuschgrün",
        category: "Design",
        state: "SANCTIONED",
        owner: { id: "P10017", name: "Mareike Schröder" },
      },
      { name: "Tuschgrün Proof", vendorName: "Tuschgrün", category: "Design", state: "SANCTIONED" },
      {
        name: "Brambleboard",
        category: "Project Management",
        state: "IN_REVIEW",
        owner: { id: "P10056", name: "Fabian Zimmermann" },
      },
      {
        name: "Quillmarsh CRM",
        vendorName: "Quillmarsh",
        category: "Sales",
        state: "SANCTIONED",
        owner: { id: "P10029", name: "Jonas Strauß" },
      },
      {
        name: "Quillmarsh Analytics",
        vendorName: "Quillmarsh",
        category: "Analytics",
        state: "DISCOVERED",
        owner: { id: "P10146", name: "Grace Washington" },
      },
    ],
    planPrices: [
      { planName: "Studio Team", annualPricePerSeat: "587.88", currency: "EUR" },
      { planName: "Studio Einzelplatz", annualPricePerSeat: "1499.88", currency: "EUR" },
      { planName: "Proof Reviewer", annualPricePerSeat: "95.40", currency: "EUR" },
      { planName: "Board Business", annualPricePerSeat: "167.88", currency: "USD" },
      { planName: "Board Enterprise", annualPricePerSeat: "311.40", currency: "USD" },
      { planName: "Sales Pro", annualPricePerSeat: "899.40", currency: "GBP" },
      { planName: "Service Desk", annualPricePerSeat: "539.99", currency: "GBP" },
      { planName: "Analytics Add-on", annualPricePerSeat: "419.88", currency: "GBP" },
    ],
    contracts: [
      { planName: "Studio Team", type: "ANNUAL", renewal: renewal(41, 30) },
      { planName: "Studio Einzelplatz", type: "MONTHLY", renewal: renewal(9, 7) },
      { planName: "Proof Reviewer", type: "ANNUAL", renewal: renewal(41, 30) },
      { planName: "Board Business", type: "MULTI_YEAR", renewal: renewal(63, 60) },
      { planName: "Board Enterprise", type: "MULTI_YEAR", renewal: renewal(63, 60) },
      { planName: "Sales Pro", type: "ANNUAL", renewal: renewal(84, 45) },
      { planName: "Service Desk", type: "ANNUAL", renewal: renewal(212, 90) },
      { planName: "Analytics Add-on", type: "ANNUAL", renewal: renewal(84, 45) },
    ],
  };
}

/** Adds days to a date and returns the UTC day as YYYY-MM-DD. */
function dayAfter(day: Date, days: number): string {
  return new Date(day.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
