/**
 * Draws what unused licenses cost a year: one bar for each plan, one group for each currency.
 *
 *   npx tsx --env-file=.env node_modules/@saas-management/sdk/examples/savings-chart.mts > savings.svg
 */
import { type License, SaasManagementClient, sumByCurrency } from "@saas-management/sdk";

const WIDTH = 720;
const ROW = 32;
const BAR_FROM = 260;
const BAR_MOST = 300;

await using client = SaasManagementClient.fromEnv();
const unused = client.graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } } });
const licenses = await unused.toArray();

/** The sums of each plan, per currency, because amounts in two currencies can't be compared. */
const bars: { readonly plan: string; readonly currency: string; readonly amount: number }[] = [];
for (const plan of new Set(licenses.map(planOf))) {
  const own = licenses.filter((license) => planOf(license) === plan);
  const sums = await sumByCurrency(own, ({ potentialSaving }) => potentialSaving);
  for (const [currency, amount] of sums) bars.push({ plan, currency, amount: Number(amount) });
}

const totals = await sumByCurrency(licenses, ({ potentialSaving }) => potentialSaving);
const rows = [...totals].flatMap(([currency, total]) => {
  const own = bars.filter((bar) => bar.currency === currency).sort((a, b) => b.amount - a.amount);
  const largest = own[0]?.amount ?? 1;
  return [
    { label: `${currency} a year`, text: money(Number(total), currency), width: 0 },
    ...own.map(({ plan, amount }) => {
      return { label: plan, text: money(amount, currency), width: (amount / largest) * BAR_MOST };
    }),
  ];
});

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const drawn = rows.map(({ label, text, width }, index) => {
  const y = ROW * (index + 1);
  const isHead = width === 0;
  return `<g${isHead ? ' font-weight="bold"' : ""}>
  <text x="${BAR_FROM - 12}" y="${y}" text-anchor="end">${escaped(label)}</text>
  <rect x="${BAR_FROM}" y="${y - 14}" width="${width.toFixed(1)}" height="18" rx="3" fill="#0b6b5c"/>
  <text x="${BAR_FROM + width + (isHead ? 0 : 8)}" y="${y}">${text}</text>
</g>`;
});
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${ROW * (rows.length + 1)}"
  font-family="system-ui, sans-serif" font-size="14" style="background: white">
<title>What unused licenses cost a year</title>
${drawn.join("\n")}
</svg>`);

function planOf({ plan }: License): string {
  return plan?.name ?? "Unknown plan";
}

function money(amount: number, currency: string): string {
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
}
