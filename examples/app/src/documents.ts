/** The page's documents, typed by graphql-codegen: after a change, run `npm run codegen:app`. */
import { graphql } from "./generated/gql.ts";

export const LicensesDocument = graphql(`
  query DeskLicenses($first: Int, $after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {
    licenses(first: $first, after: $after, where: $where, order: $order) {
      nodes {
        id
        state {
          ... on UnusedLicenseState {
            activity
            reason
          }
          ... on UsedLicenseState {
            activity
          }
        }
        holder {
          name
          email
        }
        plan {
          name
          integration {
            name
          }
        }
        annualPrice {
          amount
          currency
        }
        potentialSaving {
          amount
          currency
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

export const PricesDocument = graphql(`
  query DeskPrices($first: Int, $after: String, $where: LicenseFilterInput) {
    licenses(first: $first, after: $after, where: $where) {
      nodes {
        annualPrice {
          amount
          currency
        }
        potentialSaving {
          amount
          currency
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const PlansDocument = graphql(`
  query DeskPlans($first: Int, $after: String) {
    licensePlans(first: $first, after: $after) {
      nodes {
        integration {
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
