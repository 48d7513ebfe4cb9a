/** Records `rest.cassette.json` again, at an address that the vendor keeps. */
import { readFile, writeFile } from "node:fs/promises";
import { recordVendor } from "@saas-management/sdk/testing";
import { restConnector } from "../../../examples/connectors/rest/index.js";
import { startRestVendor } from "../examples/rest-vendor-process.js";
import { KEPT, REST_VENDOR } from "./rest-recording.js";

const { cassette, baseUrl, apiKey } = REST_VENDOR;
const vendor = await startRestVendor(apiKey);
await recordVendor(restConnector({ baseUrl: vendor.baseUrl, apiKey }), { to: cassette, keep: KEPT });
await vendor.close();
const text = await readFile(cassette, "utf8");
await writeFile(cassette, text.replaceAll(vendor.baseUrl, baseUrl));
