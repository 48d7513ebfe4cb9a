import type { Exchange, RecordedBody } from "../../../../src/testing/kit/cassette/cassette.js";

export const ORIGIN = "https://api.vendor.example";
export const PAGE_SIZE = 10;

/** A user as the vendor has it. */
export interface Person {
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
  readonly active: boolean;
  readonly seat: number;
  readonly updatedAt: string;
}

export function people(count: number): readonly Person[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return {
      id: `u-${number}a`,
      displayName: `Zoë Person ${number}`,
      email: `person.${number}@example.com`,
      active: number % 4 !== 0,
      seat: 1000 + number,
      updatedAt: new Date(Date.UTC(2026, 4, 1, number)).toISOString(),
    };
  });
}

export function pagesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / PAGE_SIZE);
  return Array.from({ length: count }, (_, index) => items.slice(index * PAGE_SIZE, (index + 1) * PAGE_SIZE));
}

const SENT = { authorization: "Bearer key-of-the-recording-4711", accept: "application/json" };

export function get(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Exchange {
  return {
    request: { method: "GET", url: `${ORIGIN}${path}`, headers: SENT },
    response: answer(json, headers),
  };
}

export function post(path: string, body: RecordedBody, json: unknown): Exchange {
  const type = "json" in body ? "application/json" : "application/x-www-form-urlencoded";
  return {
    request: {
      method: "POST",
      url: `${ORIGIN}${path}`,
      headers: { ...SENT, "content-type": type },
      body,
    },
    response: answer(json),
  };
}

function answer(json: unknown, headers: Readonly<Record<string, string>> = {}): Exchange["response"] {
  const date = "Mon, 04 May 2026 02:00:00 GMT";
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", date, ...headers },
    body: { json },
  };
}
