/** What the person wants to see: an empty string matches everything. */
export interface Filter {
  readonly text: string;
  readonly vendor: string;
  readonly activity: "" | "UNUSED" | "USED";
  readonly sortedBy: keyof typeof ORDERS;
  readonly direction: "ASC" | "DESC";
}

export const EVERYTHING: Filter = {
  text: "",
  vendor: "",
  activity: "",
  sortedBy: "saving",
  direction: "DESC",
};

const ORDERS = {
  holder: (direction: "ASC" | "DESC") => ({ holder: { name: direction } }),
  plan: (direction: "ASC" | "DESC") => ({ plan: { name: direction } }),
  price: (direction: "ASC" | "DESC") => ({ annualPrice: { amount: direction } }),
  saving: (direction: "ASC" | "DESC") => ({ potentialSaving: { amount: direction } }),
};

/** The order in the API's terms. The id breaks ties, so the order is always the same. */
export function orderOf({ sortedBy, direction }: Filter) {
  return [ORDERS[sortedBy](direction), { id: "ASC" as const }];
}

/** Sorts by a column, in reverse if it's the current one. */
export function sortedBy(filter: Filter, column: keyof typeof ORDERS): Filter {
  const isAgain = filter.sortedBy === column;
  return { ...filter, sortedBy: column, direction: isAgain && filter.direction === "ASC" ? "DESC" : "ASC" };
}

/** The condition on licenses in the API's terms; undefined parts aren't sent. */
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
