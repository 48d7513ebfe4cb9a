import { createGraphQLHandler, type GraphQLClient } from "@saas-management/sdk/graphql";
import { listener } from "../../handlers/listener.js";
import * as codegen from "../src/codegen/documents.ts";
import * as tada from "../src/tada/documents.ts";

/** Answers `/api/graphql` with the key of the server, for what the pages send and for nothing else. */
export const createApi = (client: GraphQLClient) =>
  listener(
    createGraphQLHandler({
      client,
      allow: [
        "createProcurementCase",
        "updateProcurementCase",
        ...Object.values(codegen),
        ...Object.values(tada),
      ],
    }),
  );
