import { describeConnector } from "@saas-management/sdk/testing";
import { good, options } from "./connectors.js";

describeConnector(good, options);
