import { connectorTests } from "@saas-management/sdk/testing";
import { broken, options } from "./connectors.js";
import { test } from "./runner.js";

for (const { name, run } of connectorTests(broken, options)) test(name, run);
