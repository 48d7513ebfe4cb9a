import { describeConnector } from "@saas-management/sdk/testing";
import { broken, options } from "./connectors.js";

describeConnector(broken, options);
