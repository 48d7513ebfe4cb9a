import { sumByCurrency } from "@saas-management/sdk/graphql";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";
import { connectionQuery } from "./connection-query.ts";
import { LicensesDocument, PlansDocument, PricesDocument } from "./documents.ts";
import { type Filter, orderOf, whereOf } from "./filter.ts";

/** What the page reads. */
export const queries = {
  /** The licenses that match. */
  licenses: (filter: Filter) =>
    infiniteQueryOptions({
      queryKey: ["licenses", filter],
      ...connectionQuery((page) =>
        client.paginate(
          LicensesDocument,
          { where: whereOf(filter), order: orderOf(filter) },
          { ...page, pageSize: 50, select: (data) => data.licenses },
        ),
      ),
    }),

  /** The annual cost and possible savings of all matching licenses: exact sums per currency. */
  sums: (filter: Filter) =>
    queryOptions({
      queryKey: ["sums", filter],
      queryFn: async ({ signal }) => {
        const licenses = await client
          .paginate(
            PricesDocument,
            { where: whereOf(filter) },
            { signal, pageSize: 500, select: (data) => data.licenses },
          )
          .toArray();
        return {
          annualPrice: await sumByCurrency(licenses, (license) => license.annualPrice),
          potentialSaving: await sumByCurrency(licenses, (license) => license.potentialSaving),
        };
      },
    }),

  /** The vendors to filter by. */
  vendors: () =>
    queryOptions({
      queryKey: ["vendors"],
      queryFn: async ({ signal }) => {
        const names = new Set<string>();
        const plans = client.paginate(PlansDocument, {}, { signal, select: (data) => data.licensePlans });
        for await (const { integration } of plans) if (integration !== null) names.add(integration.name);
        return [...names].sort();
      },
    }),

  /** The applications of a vendor, with their states. */
  applications: (vendor: string) =>
    queryOptions({
      queryKey: ["applications", vendor],
      queryFn: ({ signal }) =>
        client.applications({ where: { application: { vendorName: { eq: vendor } } }, signal }).toArray(),
    }),
};
