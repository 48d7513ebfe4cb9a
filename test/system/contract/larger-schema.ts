/** A schema that is three times as large as ours, with other names of inputs and another scalar for dates. */
export function largerSchema(schema: string): string {
  const renamed = RENAMED.reduce(
    (text, [ours, other]) => text.replace(new RegExp(`\\b${ours}\\b`, "g"), other),
    schema,
  );
  const own = renamed.replace(/^( {2}portfolioType: \w+!?)$/m, '$1 @deprecated(reason: "Use kind.")');
  const lines = own.split("\n").length;
  const more: string[] = [];
  for (let i = 0; more.join("\n").split("\n").length < 2 * lines; i += 1)
    more.push(`"Not used by the SDK."
type Report${i} {
  id: ID!
  day: LocalDate
  rows(first: Int, where: ReportWhere${i}): [Report${i}!]
}

input ReportWhere${i} {
  day: LocalDate
  and: [ReportWhere${i}!]
}
`);
  return `${own}\n${more.join("\n")}`;
}

const RENAMED = [
  ["(?<=: |: \\[|scalar )Date", "LocalDate"],
  ["ApplicationDiscoveryFilterInput", "ApplicationWhere"],
  ["ApplicationDiscoverySortInput", "ApplicationOrderBy"],
  ["LicenseFilterInput", "LicenseWhere"],
  ["LicensePlanSortInput", "LicensePlanOrderBy"],
  ["DateOperationFilterInput", "LocalDateOperations"],
  ["VendorDiscoveryFilterInput", "VendorWhere"],
  ["CreateProcurementCaseInput", "NewProcurementCase"],
] as const;
