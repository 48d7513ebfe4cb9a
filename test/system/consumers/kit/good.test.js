import { connectorTests } from "@saas-management/sdk/testing";
import { good, options } from "./connectors.js";
import { test } from "./runner.js";

for (const { name, run } of connectorTests(good, options)) test(name, run);
