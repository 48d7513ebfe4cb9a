import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { queries } from "../queries.ts";
import { Problem } from "./problem.tsx";

const STATES = {
  DISCOVERED: "Discovered",
  IN_REVIEW: "In review",
  SANCTIONED: "Sanctioned",
  DISQUALIFIED: "Disqualified",
  ARCHIVED: "Archived",
};
const isState = (value: string): value is keyof typeof STATES => value in STATES;

/** The states of a vendor's applications, and a way to change all of them. */
export function VendorState({ vendor }: { readonly vendor: string }) {
  const query = queries.applications(vendor);
  const { data = [] } = useQuery(query);
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (state: keyof typeof STATES) =>
      client.changeVendorsState({ state }, { vendor: { name: { eq: vendor } } }),
    onSettled: () => cache.invalidateQueries({ queryKey: query.queryKey }),
  });
  const [first] = data;
  if (first === undefined) return null;
  return (
    <>
      <label className="vendor-state" aria-busy={isPending}>
        State of {vendor}
        <select value={first.state} onChange={({ target: { value } }) => isState(value) && mutate(value)}>
          {Object.entries(STATES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Problem error={error} />
    </>
  );
}
