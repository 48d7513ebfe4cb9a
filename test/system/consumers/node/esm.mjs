import * as sdk from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { SyncClient } from "@saas-management/sdk/sync";
import * as referenceServer from "@saas-management/sdk/testing";
import program from "./program.cjs";

const oneCopy = sdk.GraphQLClient === GraphQLClient && sdk.SyncClient === SyncClient;
console.log(JSON.stringify({ ...(await program(sdk, referenceServer)), oneCopy }));
