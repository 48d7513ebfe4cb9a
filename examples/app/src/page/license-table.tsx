import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type Filter, sortedBy } from "../filter.ts";
import { queries } from "../queries.ts";
import { formatMoney } from "./money.ts";
import { Problem } from "./problem.tsx";
import type { Draft, License } from "./types.ts";

const SKELETON = ["a", "b", "c", "d", "e", "f"];

const COLUMNS = [
  ["holder", "Holder"],
  ["plan", "Plan"],
  [undefined, "Activity"],
  ["price", "A year"],
] as const;

const sortOf = ({ sortedBy, direction }: Filter, column: Filter["sortedBy"]) =>
  sortedBy !== column ? "none" : direction === "ASC" ? "ascending" : "descending";

/** The licenses, page by page. */
export function LicenseTable(props: {
  readonly filter: Filter;
  readonly onSort: (filter: Filter) => void;
  readonly onClear: () => void;
  readonly onDraft: (draft: Draft) => void;
}) {
  const { data, error, fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, refetch } =
    useInfiniteQuery({
      ...queries.licenses(props.filter),
      placeholderData: keepPreviousData,
    });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />;
  const licenses = data.pages.flatMap(({ nodes }) => nodes);
  const total = data.pages[0]?.totalCount ?? licenses.length;
  return (
    <>
      {licenses.length === 0 ? (
        <div className="empty">
          <p>No license matches.</p>
          <button type="button" onClick={props.onClear}>
            Show all licenses
          </button>
        </div>
      ) : (
        <table aria-busy={isFetching && !isFetchingNextPage}>
          <caption className="unseen">Licenses</caption>
          <thead>
            <tr>
              {COLUMNS.map(([column, label]) =>
                column === undefined ? (
                  <th scope="col" key={label}>
                    {label}
                  </th>
                ) : (
                  <th scope="col" key={label} aria-sort={sortOf(props.filter, column)}>
                    <button
                      type="button"
                      className="sort"
                      onClick={() => props.onSort(sortedBy(props.filter, column))}
                    >
                      {label}
                    </button>
                  </th>
                ),
              )}
              <th scope="col">
                <span className="unseen">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {licenses.map((license) => (
              <Row key={license.id} license={license} onDraft={props.onDraft} />
            ))}
          </tbody>
        </table>
      )}
      {error !== null && <Problem error={error} onRetry={() => fetchNextPage()} />}
      <footer className="more">
        <p role="status">
          {licenses.length.toLocaleString()} of {total.toLocaleString()} licenses
        </p>
        {hasNextPage && (
          // A button that's disabled while it loads would lose the keyboard's focus.
          <button
            type="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => !isFetchingNextPage && fetchNextPage()}
          >
            {isFetchingNextPage ? "Loading…" : "Load more"}
          </button>
        )}
      </footer>
    </>
  );
}

function Row({ license, onDraft }: { readonly license: License; readonly onDraft: (draft: Draft) => void }) {
  const { annualPrice, holder, plan, state } = license;
  const unused = state.activity === "UNUSED";
  const product = [plan?.integration?.name, plan?.name].filter(Boolean).join(" ");
  return (
    <tr>
      <td>
        {holder?.name ?? "Nobody known"}
        <small>{holder?.email}</small>
      </td>
      <td>
        {plan?.name ?? "Unknown plan"}
        <small>{plan?.integration?.name}</small>
      </td>
      <td>
        <span className={unused ? "badge warn" : "badge"}>{unused ? "Unused" : "Used"}</span>
        {"reason" in state && <small>{state.reason}</small>}
      </td>
      <td className="amount">
        {annualPrice === null ? "not known" : formatMoney(annualPrice.amount, annualPrice.currency)}
      </td>
      <td>
        <button
          type="button"
          aria-label={`Open a case for ${product}`}
          onClick={() => onDraft({ name: `Review ${product}`, baselinePrice: annualPrice?.amount })}
        >
          Open a case
        </button>
      </td>
    </tr>
  );
}

function Skeleton() {
  return (
    <div role="status">
      <span className="unseen">Loading licenses</span>
      {SKELETON.map((key) => (
        <div key={key} className="skeleton line" />
      ))}
    </div>
  );
}
