/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query DeskLicenses($first: Int, $after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {\n    licenses(first: $first, after: $after, where: $where, order: $order) {\n      nodes {\n        id\n        state {\n          ... on UnusedLicenseState {\n            activity\n            reason\n          }\n          ... on UsedLicenseState {\n            activity\n          }\n        }\n        holder {\n          name\n          email\n        }\n        plan {\n          name\n          integration {\n            name\n          }\n        }\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount\n    }\n  }\n": typeof types.DeskLicensesDocument,
    "\n  query DeskPrices($first: Int, $after: String, $where: LicenseFilterInput) {\n    licenses(first: $first, after: $after, where: $where) {\n      nodes {\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.DeskPricesDocument,
    "\n  query DeskPlans($first: Int, $after: String) {\n    licensePlans(first: $first, after: $after) {\n      nodes {\n        integration {\n          name\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.DeskPlansDocument,
};
const documents: Documents = {
    "\n  query DeskLicenses($first: Int, $after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {\n    licenses(first: $first, after: $after, where: $where, order: $order) {\n      nodes {\n        id\n        state {\n          ... on UnusedLicenseState {\n            activity\n            reason\n          }\n          ... on UsedLicenseState {\n            activity\n          }\n        }\n        holder {\n          name\n          email\n        }\n        plan {\n          name\n          integration {\n            name\n          }\n        }\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount\n    }\n  }\n": types.DeskLicensesDocument,
    "\n  query DeskPrices($first: Int, $after: String, $where: LicenseFilterInput) {\n    licenses(first: $first, after: $after, where: $where) {\n      nodes {\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.DeskPricesDocument,
    "\n  query DeskPlans($first: Int, $after: String) {\n    licensePlans(first: $first, after: $after) {\n      nodes {\n        integration {\n          name\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.DeskPlansDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeskLicenses($first: Int, $after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {\n    licenses(first: $first, after: $after, where: $where, order: $order) {\n      nodes {\n        id\n        state {\n          ... on UnusedLicenseState {\n            activity\n            reason\n          }\n          ... on UsedLicenseState {\n            activity\n          }\n        }\n        holder {\n          name\n          email\n        }\n        plan {\n          name\n          integration {\n            name\n          }\n        }\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount\n    }\n  }\n"): (typeof documents)["\n  query DeskLicenses($first: Int, $after: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {\n    licenses(first: $first, after: $after, where: $where, order: $order) {\n      nodes {\n        id\n        state {\n          ... on UnusedLicenseState {\n            activity\n            reason\n          }\n          ... on UsedLicenseState {\n            activity\n          }\n        }\n        holder {\n          name\n          email\n        }\n        plan {\n          name\n          integration {\n            name\n          }\n        }\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeskPrices($first: Int, $after: String, $where: LicenseFilterInput) {\n    licenses(first: $first, after: $after, where: $where) {\n      nodes {\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query DeskPrices($first: Int, $after: String, $where: LicenseFilterInput) {\n    licenses(first: $first, after: $after, where: $where) {\n      nodes {\n        annualPrice {\n          amount\n          currency\n        }\n        potentialSaving {\n          amount\n          currency\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeskPlans($first: Int, $after: String) {\n    licensePlans(first: $first, after: $after) {\n      nodes {\n        integration {\n          name\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query DeskPlans($first: Int, $after: String) {\n    licensePlans(first: $first, after: $after) {\n      nodes {\n        integration {\n          name\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;