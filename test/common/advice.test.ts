import { SaasManagementClient, SaasManagementError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { messageOf } from "../../src/cli/problem.js";
import { connectorOf } from "../support/connector.js";
import { rejection } from "../support/promises.js";
import { accounts, type TestService, testService } from "../support/test-service.js";

const service = testService({ sync: { retry: false } });
const syncUrl = "https://sync.invalid";

type Failing = (service: TestService) => unknown;

const CASES: readonly [option: string, fails: Failing, shown: RegExp][] = [
  [
    "baseUrl",
    () => new SaasManagementClient({ apiKey: "key-of-the-test" }),
    /^Set SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_SYNC_URL\.$/,
  ],
  [
    "baseUrl",
    () => new SaasManagementClient({ syncUrl, apiKey: "key-of-the-test" }).graphql,
    /^The GraphQL API needs SAAS_MANAGEMENT_BASE_URL\.$/,
  ],
  [
    "apiKey",
    () => new SaasManagementClient({ syncUrl }).sync.abortBatch("b"),
    /^No credential: use SAAS_MANAGEMENT_API_KEY or --api-key-file FILE\.$/,
  ],
  [
    "installationId",
    ({ sync }) => sync.startBatch({ installationId: "" }),
    /: use SAAS_MANAGEMENT_INSTALLATION_ID or --installation ID\.$/,
  ],
  [
    "waitForLockMs",
    async ({ sync, installationId }) => {
      await sync.startBatch({ installationId });
      await sync.startBatch({ installationId });
    },
    / is in progress\. Use --wait-for-lock SECONDS to wait for its end; /,
  ],
  [
    "serverMessage",
    async ({ sync, server, installationId }) => {
      server.faults.add({ on: "StartSyncBatch", fault: "status", status: "INVALID_ARGUMENT" });
      await sync.startBatch({ installationId });
    },
    /^StartSyncBatch: the service rejected the operation with INVALID_ARGUMENT\.$/,
  ],
  [
    "firstRun",
    ({ sync, installationId }) =>
      sync.run(
        connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3))),
        { installationId, firstRun: { accounts: 4 } },
      ),
    /^--first-run expects 4 records of accounts, /,
  ],
];

test.each(CASES)("gives the option %s as data, worded like the message", async (option, fails, shown) => {
  const error = await rejection(Promise.resolve().then(() => fails(service)));
  if (!(error instanceof SaasManagementError)) throw error;
  const { advice, message } = error;
  expect(advice?.option).toBe(option);
  expect(message).toContain(advice?.text);
  // If an error message names an SDK option, the command line shows the name of its own option instead.
  expect(messageOf(error)).toMatch(shown);
  expect(JSON.stringify(error)).not.toContain("advice");
});

test("an error has no advice if no option helps", async () => {
  const batch = await service.sync.startBatch({ installationId: service.installationId });
  await batch.abort();
  expect(await rejection(batch.write("accounts", []))).toMatchObject({
    code: "BATCH_STATE",
    advice: undefined,
  });
});
