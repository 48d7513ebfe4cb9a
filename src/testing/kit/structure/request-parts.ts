/** Splits requests into named parts. Two pages of a listing differ only in the parts that select the page. */

import type { Exchange, RecordedRequest } from "../cassette/cassette.js";
import { formOf, textOf } from "../cassette/cassette.js";
import { leavesOf, valueAt, withValueAt } from "./json-path.js";

export interface RequestPart {
  readonly in: "query" | "path" | "json" | "form" | "text";
  /** Name of the parameter, number of the path's segment, or path in the JSON body joined by dots. */
  readonly name: string;
  readonly value: string;
}

type PartName = Pick<RequestPart, "in" | "name">;

/** Names of parameters that select a page. */
const PAGING =
  /^(page|pages?_?(no|num|number|index|token|key|cursor)|(next_?)?page_?token|next_?(token|cursor|link|page)?|pagination_?(token|key)|offset|skip|start|start_?(index|at|position)|first_?result|starting_?after|after|before|since_?id|cursor|end_?cursor|marker|continuation(_?token)?|scroll_?id|bookmark|position|skip_?token|resume)$/;
const SIZE =
  /^(limit|count|first|top|size|take|rows|per_?page|page_?(size|limit|count)|max_?(results|items|records)?|results_?per_?page|num_?results|page_?len(gth)?)$/;

export function partsOf(request: RecordedRequest): readonly RequestPart[] {
  const url = new URL(request.url);
  const parts: RequestPart[] = [];
  for (const [index, value] of url.pathname.split("/").entries())
    parts.push({ in: "path", name: `${index}`, value });
  for (const [name, value] of url.searchParams) parts.push({ in: "query", name, value });
  const { body } = request;
  if (body === undefined) return parts;
  if ("json" in body) {
    for (const { path, value } of leavesOf(body.json))
      parts.push({ in: "json", name: path.join("."), value: String(value) });
    return parts;
  }
  const form = formOf(request.headers, body);
  for (const [name, value] of form ?? []) parts.push({ in: "form", name, value });
  if (form === undefined) parts.push({ in: "text", name: "", value: textOf(request.headers, body) });
  return parts;
}

/** Decodes a part of an address, or returns it unchanged if it can't be decoded. */
export function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** The value of one part of a request. */
export function partValue(request: RecordedRequest, { in: where, name }: PartName): string | undefined {
  return partsOf(request).find((part) => part.in === where && part.name === name)?.value;
}

/** The last word of a name: `number` of `page[number]`, `after` of `variables.after`, `skip_token` of `$skipToken`. */
function wordOf({ in: where, name }: RequestPart): string {
  const last = where === "json" ? (name.split(".").at(-1) ?? "") : name;
  return last
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/^\$/, "")
    .replace(/[[\].-]+/g, "_")
    .replace(/_$/, "");
}

export function isPaging(part: RequestPart, all: readonly RequestPart[]): boolean {
  if (part.in !== "path")
    return PAGING.test(wordOf(part)) || /^page_(offset|after|start)$/.test(wordOf(part));
  const before = all.find(({ in: where, name }) => where === "path" && name === `${Number(part.name) - 1}`);
  return /^\d+$/.test(part.value) && /^pages?$/i.test(before?.value ?? "");
}

export function isPageSize(part: RequestPart): boolean {
  return SIZE.test(wordOf(part)) && /^[1-9]\d*$/.test(part.value);
}

/** A copy of an exchange with another value in one part of its request. */
export function withPart(exchange: Exchange, part: PartName, value: string): Exchange {
  const { request } = exchange;
  const url = new URL(request.url);
  let { body } = request;
  if (part.in === "query") url.searchParams.set(part.name, value);
  if (part.in === "path") {
    const segments = url.pathname.split("/");
    segments[Number(part.name)] = value;
    url.pathname = segments.join("/");
  }
  if (part.in === "json" && body !== undefined && "json" in body) {
    const path = part.name.split(".");
    const isNumber = typeof valueAt(body.json, path) === "number";
    body = { json: withValueAt(body.json, path, isNumber ? Number(value) : value) };
  }
  if (part.in === "form" && body !== undefined && "text" in body) {
    const form = new URLSearchParams(body.text);
    form.set(part.name, value);
    body = { text: form.toString() };
  }
  return { ...exchange, request: { ...request, url: url.href, ...(body === undefined ? {} : { body }) } };
}
