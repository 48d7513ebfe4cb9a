import type { DocumentTypeDecoration } from "@graphql-typed-document-node/core";

/**
 * A GraphQL document: a `TypedDocumentNode` or `TypedDocumentString` of graphql-codegen, a document of gql.tada, or a
 * plain string. What has types gives them to the variables and to the result.
 */
export type GraphQLDocument<Result, Variables> = DocumentTypeDecoration<Result, Variables> | string;

/** What follows a document: its variables, required exactly when the operation has required ones, and options. */
export type DocumentArguments<Variables, Options> =
  Record<never, never> extends Variables
    ? readonly [variables?: Variables | undefined, options?: Options | undefined]
    : readonly [variables: Variables, options?: Options | undefined];
