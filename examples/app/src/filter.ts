/** What the person wants to see; an empty string is any. */
export interface Filter {
  readonly text: string;
  readonly vendor: string;
  readonly activity: "" | "UNUSED" | "USED";
}

export const EVERYTHING: Filter = { text: "", vendor: "", activity: "" };

/** The condition on licenses that the API understands. Undefined is not sent. */
export function whereOf({ text, vendor, activity }: Filter) {
  const contains = { contains: text };
  return {
    ...(activity !== "" && { state: { activity: { eq: activity } } }),
    ...(vendor !== "" && { plan: { integration: { name: { eq: vendor } } } }),
    ...(text !== "" && {
      or: [{ holder: { name: contains } }, { holder: { email: contains } }, { plan: { name: contains } }],
    }),
  };
}
