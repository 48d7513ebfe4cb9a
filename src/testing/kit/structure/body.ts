import type { Exchange, RecordedBody } from "../cassette/cassette.js";

export function jsonOf({ response }: Exchange): unknown {
  return "json" in response.body ? response.body.json : undefined;
}

export function isSuccess({ response }: Exchange): boolean {
  return response.status >= 200 && response.status < 300;
}

export function withBody(exchange: Exchange, body: RecordedBody): Exchange {
  return { ...exchange, response: { ...exchange.response, body } };
}

export function withHeader(exchange: Exchange, name: string, value: string | undefined): Exchange {
  const { [name]: _, ...others } = exchange.response.headers;
  const headers = value === undefined ? others : { ...others, [name]: value };
  return { ...exchange, response: { ...exchange.response, headers } };
}
