import type { CreateProcurementCaseInput } from "@saas-management/sdk/graphql";
import { mutationOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";

/** A procurement case, as the page shows it. */
export interface Case {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Whether the service hasn't confirmed the shown case yet. */
  readonly pending?: boolean;
}

/** The cases that this page opened, because the API has no query for cases. */
export const openedCases = queryOptions({
  queryKey: ["cases"],
  queryFn: (): readonly Case[] => [],
  staleTime: "static",
  gcTime: Number.POSITIVE_INFINITY,
});

let optimistic = 0;

/** Shows the case at once, and takes it back if the service refuses it. */
export const openCase = mutationOptions({
  mutationFn: (input: CreateProcurementCaseInput) => client.createProcurementCase(input),
  onMutate: ({ name }, { client: cache }) => {
    const shown = { id: `optimistic-${++optimistic}`, name, state: "PRE", pending: true };
    change(cache, (cases) => [shown, ...cases]);
    return shown;
  },
  onSuccess: (opened, _input, shown, { client: cache }) => put(cache, shown.id, opened),
  onError: (_error, _input, shown, { client: cache }) =>
    change(cache, (cases) => cases.filter(({ id }) => id !== shown?.id)),
});

/** Immediately shows the case as completed, and reverts it if the service refuses. */
export const completeCase = mutationOptions({
  mutationFn: ({ id }: Case) => client.updateProcurementCase({ id, state: "COMPLETED" }),
  onMutate: (before, { client: cache }) =>
    put(cache, before.id, { ...before, state: "COMPLETED", pending: true }),
  onSuccess: (completed, { id }, _, { client: cache }) => put(cache, id, completed),
  onError: (_error, before, _, { client: cache }) => put(cache, before.id, before),
});

/** Changes the cases as they are now, because others may have been opened since a mutation began. */
function change(cache: QueryClient, update: (cases: readonly Case[]) => readonly Case[]): void {
  cache.setQueryData(openedCases.queryKey, (cases = []) => update(cases));
}

function put(cache: QueryClient, id: string, replacement: Case): void {
  change(cache, (cases) => cases.map((it) => (it.id === id ? replacement : it)));
}
