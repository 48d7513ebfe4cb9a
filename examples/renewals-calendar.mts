/**
 * Prints renewals as a calendar file (RFC 5545), with an alarm on the last day to terminate a contract.
 *
 *   npx tsx --env-file=.env node_modules/@saas-management/sdk/examples/renewals-calendar.mts > renewals.ics
 *
 * Put the file on a web server each night, and subscribe to it: events keep their ids.
 */
import { calendarDate, SaasManagementClient } from "@saas-management/sdk";

const DAY_MS = 86_400_000;
const DAYS = 365;

await using client = SaasManagementClient.fromEnv();
const now = new Date();
const value = { gte: calendarDate(now), lte: calendarDate(new Date(now.getTime() + DAYS * DAY_MS)) };
const plans = client.graphql.licensePlans({
  where: { contractDetails: { renewal: { upcomingDate: { value } } } },
  order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } },
});

const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//saas-management//renewals//EN"];
for await (const { id, name, integration, contractDetails, pricingStats } of plans) {
  const renewal = contractDetails?.renewal;
  const date = renewal?.upcomingDate?.value;
  if (date == null) continue;
  const noticeDays = renewal?.terminationPeriod?.value ?? 0;
  const lastDay = new Date(Date.parse(date) - noticeDays * DAY_MS);
  const title = [integration?.name, name].filter(Boolean).join(" ");
  const { annualCost, currency } = pricingStats ?? {};
  const cost = annualCost == null ? "" : ` It costs ${annualCost.toFixed(2)} ${currency ?? ""} a year.`;
  lines.push(
    "BEGIN:VEVENT",
    `UID:${id}-${date}@saas-management`,
    `DTSTAMP:${now.toISOString().replace(/[-:]|\.\d+/g, "")}`,
    `DTSTART;VALUE=DATE:${date.replaceAll("-", "")}`,
    `SUMMARY:${escaped(`${title} renews`)}`,
    `DESCRIPTION:${escaped(`Terminate by ${calendarDate(lastDay)}.${cost}`)}`,
    ...["BEGIN:VALARM", "ACTION:DISPLAY", `TRIGGER:-P${noticeDays}D`],
    ...[`DESCRIPTION:${escaped(`Last day to terminate ${title}`)}`, "END:VALARM"],
    "END:VEVENT",
  );
}
lines.push("END:VCALENDAR", "");
process.stdout.write(lines.map(folded).join("\r\n"));

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/** Folds a line into parts of at most 75 bytes; each but the first begins with a space. */
function folded(line: string): string {
  let text = "";
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) {
      text += "\r\n ";
      bytes = 1;
    }
    text += character;
    bytes += size;
  }
  return text;
}
