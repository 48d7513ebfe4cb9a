import { startReferenceServer } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";

const ORIGIN = "http://localhost:5173";
const PREFLIGHT = {
  method: "OPTIONS",
  headers: {
    origin: ORIGIN,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,x-team",
  },
};

async function start(cors?: true | readonly string[]): Promise<string> {
  const server = await startReferenceServer({ cors });
  onTestFinished(() => server.close());
  return `${server.baseUrl}/graphql`;
}

test.each([[true], [[ORIGIN]]] as const)("answers the preflight of an origin of cors: %j", async (cors) => {
  const { status, headers } = await fetch(await start(cors), PREFLIGHT);
  expect(status).toBe(204);
  expect(Object.fromEntries(headers)).toMatchObject({
    "access-control-allow-origin": ORIGIN,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization,content-type,x-team",
    vary: "origin",
  });
});

test.each([[undefined], [[]], [["https://localhost:5173"]]] as const)(
  "refuses the preflight with cors: %j",
  async (cors) => {
    const { status, headers } = await fetch(await start(cors), PREFLIGHT);
    expect(status).toBe(405);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  },
);

test("lets browser pages read errors and the headers that the SDK needs", async () => {
  const { status, headers } = await fetch(await start(true), { headers: { origin: ORIGIN } });
  expect(status).toBe(405);
  expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(headers.get("access-control-expose-headers")).toBe("retry-after, x-request-id");
});
