import { z } from "zod";
import { VERSION } from "../../../core/version.js";
import { ROUTES, type Route } from "./routes.js";

/** Describes the control API, for clients in other languages. */
export function openApi(url: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = operations;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control of the reference server of the SaaS Management Service",
      description: 'For tests. Problems are answered with 400 or 404 and { "error": "…" }.',
      version: VERSION,
    },
    servers: [{ url }],
    paths,
  };
}

function operationOf({ method, path, summary, input, output }: Route): object {
  const schema = jsonSchema(input, "input");
  const isQuery = method === "GET";
  const { properties = {} } = schema;
  const response = jsonSchema(output, "output");
  return {
    summary,
    operationId: `${method.toLowerCase()}${path.replace(/\/(\w)/g, (_, first: string) => first.toUpperCase())}`,
    ...(isQuery && {
      parameters: Object.entries(properties).map(([name, of]) => ({ name, in: "query", schema: of })),
    }),
    ...(method === "POST" && {
      requestBody: { required: true, content: { "application/json": { schema } } },
    }),
    responses: {
      200: { description: "Done", content: { "application/json": { schema: response } } },
      400: { description: "The request is invalid; the error says what is wrong" },
    },
  };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
