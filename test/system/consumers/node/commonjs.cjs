const sdk = require("@saas-management/sdk");
const { GraphQLClient } = require("@saas-management/sdk/graphql");
const referenceServer = require("@saas-management/sdk/testing");
const { SyncClient } = require("@saas-management/sdk/sync");
const program = require("./program.cjs");

const oneCopy = sdk.GraphQLClient === GraphQLClient && sdk.SyncClient === SyncClient;
program(sdk, referenceServer).then((result) => console.log(JSON.stringify({ ...result, oneCopy })));
