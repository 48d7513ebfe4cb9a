import * as sdk from "@saas-management/sdk";
import { AuthenticationError } from "@saas-management/sdk/graphql";
import * as referenceServer from "@saas-management/sdk/testing";
import program from "./program.cjs";

const oneCopy = sdk.AuthenticationError === AuthenticationError;
console.log(JSON.stringify({ ...(await program(sdk, referenceServer)), oneCopy }));
