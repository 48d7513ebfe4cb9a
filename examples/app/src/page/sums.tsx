import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { formatMoney } from "./money.ts";
import { Problem } from "./problem.tsx";
import type { Queries } from "./types.ts";

/** What the licenses cost and could save, one card for each currency: amounts of two currencies cannot be added. */
export function Sums({ query }: { readonly query: ReturnType<Queries["sums"]> }) {
  const { data, error, isFetching, refetch } = useQuery({ ...query, placeholderData: keepPreviousData });
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
