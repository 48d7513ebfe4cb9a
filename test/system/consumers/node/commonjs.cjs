const sdk = require("@saas-management/sdk");
const { AuthenticationError } = require("@saas-management/sdk/graphql");
const referenceServer = require("@saas-management/sdk/testing");
const program = require("./program.cjs");

const oneCopy = sdk.AuthenticationError === AuthenticationError;
program(sdk, referenceServer).then((result) => console.log(JSON.stringify({ ...result, oneCopy })));
