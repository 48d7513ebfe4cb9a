import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Filter } from "../filter.ts";
import { queries } from "../queries.ts";
import { formatMoney } from "./money.ts";
import { Problem } from "./problem.tsx";

/** Shows the licenses' cost and possible savings, one card per currency: amounts in two currencies can't be added. */
export function Sums({ filter }: { readonly filter: Filter }) {
  const { data, error, isFetching, refetch } = useQuery({
    ...queries.sums(filter),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Problem error={error} onRetry={refetch} />;
  return (
    <dl className="sums" aria-label="Sums per currency" aria-busy={isFetching}>
      {data === undefined && <div className="sum skeleton" />}
      {[...(data?.annualPrice ?? [])].sort().map(([currency, annual]) => (
        <div className="sum" key={currency}>
          <dt>{currency} a year</dt>
          <dd>{formatMoney(annual, currency)}</dd>
          <dd className="saving">
            {formatMoney(data?.potentialSaving.get(currency) ?? 0, currency)} could be saved
          </dd>
        </div>
      ))}
    </dl>
  );
}
