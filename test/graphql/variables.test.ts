import { calendarDate, InvalidInputError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { json, type Responder } from "../support/http-server.js";

const CASE = { id: "c1", name: "Renewal", state: "PRE", savingAmount: null, savingPercentage: null };
const created: Responder = (_, response) =>
  json(response, { data: { createProcurementCase: { case: CASE, errors: null } } });

describe("what is given to a call", () => {
  it("is read in the turn of the call, so one object may be used for many", async () => {
    const { client, server } = await connectClient(created);
    const input = { name: "" };
    const names = ["Slack renewal", "Zoom renewal", "Figma renewal"];
    const calls = names.map((name) => {
      input.name = name;
      return client.createProcurementCase(input);
    });
    await Promise.all(calls);
    const sent = server.requests.map(({ body }) => body.variables);
    for (const name of names) expect(sent).toContainEqual({ input: { name } });
  });

  it("is sent again as it was, however it was changed before the next attempt", async () => {
    const { client, server, clock } = await connectClient((request, response, index) =>
      index === 0 ? json(response, {}, { status: 503 }) : created(request, response, index),
    );
    const input = { name: "first" };
    const call = client.createProcurementCase(input, { idempotent: true });
    await server.arrived(1);
    input.name = "second";
    await passPause(clock);
    await call;
    expect(server.requests.map(({ body }) => body.variables)).toEqual([
      { input: { name: "first" } },
      { input: { name: "first" } },
    ]);
  });

  it("may not become what the call refuses", async () => {
    const { client, server } = await connectClient(created);
    const input: { name: string; deadline: unknown } = { name: "n", deadline: calendarDate("2027-01-01") };
    const call = Reflect.apply(client.createProcurementCase, client, [input]);
    input.deadline = new Date(0);
    await call;
    expect(server.requests[0]?.body.variables).toEqual({ input: { name: "n", deadline: "2027-01-01" } });
  });

  it("is the state that vendors are set to, too", async () => {
    const { client, server } = await connectClient((_, response) =>
      json(response, { data: { changeVendorsState: { updatedCount: 1, errors: null } } }),
    );
    const input = { state: "SANCTIONED" };
    const call = client.changeVendorsState(input, { vendor: { name: { eq: "Acme" } } });
    input.state = "DISQUALIFIED";
    await call;
    expect(server.requests[0]?.body.variables["input"]).toEqual({ state: "SANCTIONED" });
  });

  it("is the variables of an own document, which are refused before anything is sent", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }));
    const variables: Record<string, unknown> = { ids: ["a"] };
    const calls = [client.request("query A { a }", variables), client.rawRequest("query A { a }", variables)];
    variables["ids"] = [undefined];
    await Promise.all(calls);
    expect(server.requests.map(({ body }) => body.variables)).toEqual([{ ids: ["a"] }, { ids: ["a"] }]);
    expect(await rejection(client.request("query A { a }", variables))).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(2);
  });
});
