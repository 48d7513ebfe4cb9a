import "./page.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { EVERYTHING } from "../filter.ts";
import { CasesPanel } from "./cases-panel.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { LicenseTable } from "./license-table.tsx";
import { Sums } from "./sums.tsx";
import type { Draft, Queries } from "./types.ts";

const PAGES = {
  codegen: { href: "/", label: "graphql-codegen" },
  tada: { href: "/tada.html", label: "gql.tada" },
};

/** Renders the page with the queries of one generator. */
export function showPage(queries: Queries, generator: keyof typeof PAGES): void {
  const root = document.getElementById("root");
  if (root === null) throw new Error("The page has no element with the id root.");
  // The SDK's client repeats what is safe to repeat: TanStack must not do it once more.
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <header className="top">
          <h1>License desk</h1>
          <nav aria-label="Documents typed by">
            {Object.entries(PAGES).map(([name, { href, label }]) => (
              <a key={name} href={href} aria-current={name === generator ? "page" : undefined}>
                {label}
              </a>
            ))}
          </nav>
        </header>
        <Desk queries={queries} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

function Desk({ queries }: { readonly queries: Queries }) {
  const [filter, setFilter] = useState(EVERYTHING);
  const [draft, setDraft] = useState<Draft>();
  return (
    <main>
      <section className="licenses" aria-labelledby="licenses">
        <h2 id="licenses">Licenses</h2>
        <FilterBar vendors={queries.vendors()} filter={filter} onChange={setFilter} />
        <Sums query={queries.sums(filter)} />
        <LicenseTable
          query={queries.licenses(filter)}
          onClear={() => setFilter(EVERYTHING)}
          onDraft={setDraft}
        />
      </section>
      <CasesPanel draft={draft} />
    </main>
  );
}
