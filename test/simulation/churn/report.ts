import { CONCERNS, type Outcome, SIZES, type Size, type Tally } from "./tally.js";

/** The outcome of each organisation's runs. */
export function organisationRows({ organisations }: Tally): object {
  const rows = [...organisations].map(([name, { rules, ...counts }]) => [
    name,
    { ...counts, rules: `${[...rules]}` },
  ]);
  return Object.fromEntries(rows);
}

/** For each kind of disaster and size of collection, how many visible disasters are missed. */
export function disasterRows({ disasters }: Tally): object {
  const rows = [...disasters].map(([kind, { visible, missed }]) => {
    const cells = SIZES.map((size) => [`${size}+`, `${missed[size]} of ${visible[size]}`]);
    return [kind, Object.fromEntries(cells)];
  });
  return Object.fromEntries(rows);
}

export function summaryOf(tally: Tally): string {
  const { years } = tally;
  const perYear = (name: Parameters<Tally["sumOf"]>[0]) => (tally.sumOf(name) / years).toFixed(3);
  const missed = (concerns: "all" | Outcome["concerns"], size: Size) => {
    const [part, whole] = (["missed", "visible"] as const).map((field) =>
      tally.sumOfDisasters(field, concerns, [size]),
    );
    return `${part} of ${whole} (${((100 * (part ?? 0)) / Math.max(1, whole ?? 0)).toFixed(1)}%)`;
  };
  const falseHolds = [...tally.falseHolds].map(([rules, holds]) => `${rules} ${holds}`).join("; ");
  return [
    `${years.toFixed(1)} installation-years, ${tally.sumOf("runs").toLocaleString("en-US")} runs`,
    `a year: ${perYear("falseHolds")} false holds (${falseHolds}), ${perYear("approvals")} approvals, ${perYear("repeated")} again within three weeks`,
    ...(["all", ...CONCERNS] as const).map(
      (concerns) =>
        `missed of the visible disasters of ${concerns}: ${SIZES.map((size) => missed(concerns, size)).join(", ")} in collections of 50 and more, 10 to 49, fewer`,
    ),
  ].join("\n");
}
