import * as sdk from "@saas-management/sdk/graphql";

globalThis.sdk = sdk;
