import "./page/page.css";
import { AuthenticationError } from "@saas-management/sdk/graphql";
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { EVERYTHING } from "./filter.ts";
import { CasesPanel } from "./page/cases-panel.tsx";
import { FilterBar } from "./page/filter-bar.tsx";
import { LicenseTable } from "./page/license-table.tsx";
import { Login } from "./page/login.tsx";
import { Sums } from "./page/sums.tsx";
import type { Draft } from "./page/types.ts";
import { VendorState } from "./page/vendor-state.tsx";
import { queries } from "./queries.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element with the id root.");
// The SDK's client repeats what is safe to repeat: TanStack must not do it again.
const cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <h1>License desk</h1>
      <Page />
    </QueryClientProvider>
  </StrictMode>,
);

/** The desk, or the login if the server doesn't recognize the browser. */
function Page() {
  const cache = useQueryClient();
  const { error } = useQuery(queries.vendors());
  if (error instanceof AuthenticationError) return <Login onDone={() => cache.resetQueries()} />;
  return <Desk />;
}

function Desk() {
  const [filter, setFilter] = useState(EVERYTHING);
  const [draft, setDraft] = useState<Draft>();
  return (
    <main>
      <section className="licenses" aria-labelledby="licenses">
        <h2 id="licenses">Licenses</h2>
        <FilterBar filter={filter} onChange={setFilter} />
        {filter.vendor !== "" && <VendorState vendor={filter.vendor} key={filter.vendor} />}
        <Sums filter={filter} />
        <LicenseTable
          filter={filter}
          onSort={setFilter}
          onClear={() => setFilter(EVERYTHING)}
          onDraft={setDraft}
        />
      </section>
      <CasesPanel draft={draft} />
    </main>
  );
}
