import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { recordVendor } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { restConnector } from "../../../examples/connectors/rest/index.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { vendorProcess } from "../examples/rest-vendor.js";
import { KEPT, REST_VENDOR } from "./rest-recording.js";

const vendor = vendorProcess();
const folder = temporaryFolder();

test("a vendor in another process is recorded as in the repository, with fakes for its people and its key", async () => {
  const { baseUrl, apiKey } = vendor;
  const to = join(folder.path, "rest.cassette.json");
  await recordVendor(restConnector({ baseUrl, apiKey }), { to, keep: KEPT });
  const text = await readFile(to, "utf8");
  for (const secret of [apiKey, "polarvik.example", "Person Number"]) expect(text).not.toContain(secret);
  const committed = await readFile(REST_VENDOR.cassette, "utf8");
  expect(outline(text.replaceAll(baseUrl, REST_VENDOR.baseUrl))).toEqual(outline(committed));
});

interface Recorded {
  readonly runs: readonly {
    readonly exchanges: readonly {
      readonly request: { readonly method: string; readonly url: string };
      readonly response: {
        readonly status: number;
        readonly body: { readonly json?: { readonly items?: object[] } };
      };
    }[];
  }[];
}

/** What does not depend on the fakes: requests, statuses, and how many items there are. */
function outline(text: string): unknown {
  const { runs }: Recorded = JSON.parse(text);
  return runs[0]?.exchanges.map(({ request, response }) => [
    request.method,
    new URL(request.url).pathname,
    [...new URL(request.url).searchParams.keys()],
    response.status,
    response.body.json?.items?.length,
  ]);
}
