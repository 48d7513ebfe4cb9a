import { expect, test } from "vitest";
import type { Exchange } from "../../../../src/testing/kit/cassette/cassette.js";
import { redact } from "../../../../src/testing/kit/cassette/redaction.js";

const ORIGIN = "https://api.acme.example";

/** Fifty strings that identify a person or grant access, although no field name says so. */
const CANARIES = [
  ..."Ottilie Brandtner|o.brandtner@polarvik.example|OBRANDTNER|Özgür Şahin|王小明|Łukasz|O'Hara-Smythe".split(
    "|",
  ),
  ..."+43 664 1234567|(0171) 555-0182|0031201234567|83.12.44.17|2a02:8388:6c0:1::17|00:1A:2B:3C:4D:5E".split(
    "|",
  ),
  ..."Brandtnergasse 7, 1010 Wien|AT611904300234573201|4111111111111111|078-05-1120|P1234567".split("|"),
  ..."hunter2|correct horse battery|Tr0ub4dor&3|4711-4712-4713|123456|$2b$10$N9qo8uLOickgx2ZMRZoMye".split(
    "|",
  ),
  ..."sk_live_51H8aBcDeFg|ghp_16C7e42F292c6912E7|AKIAIOSFODNN7EXAMPLE|xoxb-2345-abcdefghij".split("|"),
  ..."0b54e7a2-1f5c-4d7e-9c3a-5a1d2b3c4d5e|9f86d081884c7d659a2feaa0c55ad015|MIICXAIBAAKBgQDUmsXe".split("|"),
  ..."s%3A9d8c7b6a5f4e|eyJ1c2VyIjoib3R0aWxpZSJ9|b3R0aWxpZTpodW50ZXIy|otpauth-JBSWY3DPEHPK3PXP".split("|"),
  ..."CN=Ottilie Brandtner,OU=Vorstand|urn:person:ottilie|S-1-5-21-3623811015|ottilie_b|@ottilie".split("|"),
  ..."Burnout, krank bis Mai|Kündigung geplant|röm.-kath.|Betriebsrat|120.000 EUR|Projekt Eisvogel".split(
    "|",
  ),
  ..."T00000000/B00000000/XXXXXXXXXXXX|polarvik.zendesk.example|acme-merger-2027|/home/ottilie/.ssh/id".split(
    "|",
  ),
  ..."ottilie.jpg|WLAN: sonnenblume".split("|"),
];

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Puts a string into one place of an exchange. */
const PLACES: Readonly<
  Record<string, (canary: string) => Partial<Exchange["request"] & Exchange["response"]>>
> = {
  "a part of the path": (text) => ({ url: `${ORIGIN}/v1/${encodeURIComponent(`${text}1`)}/users` }),
  "a parameter": (text) => ({ url: `${ORIGIN}/v1/users?q=${encodeURIComponent(text)}` }),
  "the name and password of the address": (text) => ({
    url: `https://${encodeURIComponent(text)}:${encodeURIComponent(text)}@api.acme.example/v1`,
  }),
  "a fragment": (text) => ({ url: `${ORIGIN}/v1#${encodeURIComponent(text)}` }),
  "a header": (text) => ({ headers: { "x-anything": encodeURIComponent(text), cookie: text, link: text } }),
  "a link": (text) => ({
    headers: { link: `<${ORIGIN}/v1?after=${encodeURIComponent(text)}>; rel="next"; title="${text}"` },
  }),
  "a cookie that is set": (text) => ({ headers: { "set-cookie": `sid=${text}; Path=/${text}` } }),
  "a value of JSON": (text) => ({ body: { json: { data: [{ vorname: text }, [text]] } } }),
  "a key of JSON": (text) => ({ body: { json: { [`${text} 1234567`]: 1 } } }),
  "an address in JSON": (text) => ({
    body: { json: { hook: `https://hooks.example/services/${encodeURIComponent(text)}?x#y` } },
  }),
  "a claim of a token": (text) => ({
    body: { json: { id_token: `${part({ alg: "RS256" })}.${part({ sub: text })}.c2lnbmF0dXJl` } },
  }),
  "a line of JSON": (text) => ({ body: { text: `${JSON.stringify({ a: text })}\n{"b":1}\n` } }),
  "an element and an attribute": (text) => ({
    body: {
      text: `<?xml version="1.0"?><a><!-- ${text} --><P x="${text}">${text}</P><![CDATA[${text}]]></a>`,
    },
  }),
  "a cell": (text) => ({
    headers: { "content-type": "text/csv" },
    body: { text: `id,name\n1,"${text}"\n2,${text}\n` },
  }),
  "a form": (text) => ({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: { text: `a=${encodeURIComponent(text)}&b=1` },
  }),
  "a part of multipart": (text) => ({
    headers: { "content-type": "multipart/form-data; boundary=xyz" },
    body: { text: `--xyz\r\nContent-Disposition: form-data; name="field"\r\n\r\n${text}\r\n--xyz--` },
  }),
  "a plain text": (text) => ({ body: { text: `Dear ${text},\nwelcome.` } }),
  bytes: (text) => ({ body: { base64: Buffer.from(`\xff${text}`, "latin1").toString("base64") } }),
};

function exchangeWith(at: Partial<Exchange["request"] & Exchange["response"]>): Exchange {
  const { url = `${ORIGIN}/v1/users`, headers = {}, body = { json: {} } } = at;
  return { request: { method: "POST", url, headers, body }, response: { status: 200, headers, body } };
}

/** The text as it is, without the escapes of JSON, without those of URLs, and decoded from base64. */
function readings(text: string): string {
  const encoded = text.match(/[\w+/=-]{8,}/g)?.map((word) => Buffer.from(word, "base64").toString()) ?? [];
  return [
    text,
    JSON.stringify(JSON.parse(text)),
    text.replace(/(?:%[0-9a-f]{2})+/gi, unescaped),
    ...encoded,
  ].join("\n");
}

function unescaped(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

test.each(Object.keys(PLACES))("removes fifty kinds of strings from %s", (place) => {
  expect(CANARIES.length).toBeGreaterThanOrEqual(50);
  const exchanges = CANARIES.map((canary) => exchangeWith(PLACES[place]?.(canary) ?? {}));
  const { cassette } = redact([{ startedAt: "2026-05-04T02:00:00Z", exchanges }], []);
  const text = readings(JSON.stringify(cassette));
  expect(CANARIES.filter((canary) => text.includes(canary))).toEqual([]);
});

const users = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `u-${i}`,
    role: i % 3 === 0 ? "admin" : "member",
    boss: "u-1",
    seat: i,
    on: i % 2 === 0,
    at: "2026-05-01T08:00:00Z",
    page: "4",
  }));

test("keeps numbers, booleans, times and values that repeat like an enum, and lists those fields", () => {
  const { cassette, kept } = redact(
    [{ startedAt: "2026-05-04T02:00:00Z", exchanges: [exchangeWith({ body: { json: users(12) } })] }],
    [],
  );
  const [item] = JSON.parse(JSON.stringify(cassette.runs[0]?.exchanges[0]?.response.body)).json;
  expect(item).toMatchObject({ role: "admin", seat: 0, on: true, at: "2026-05-01T08:00:00Z", page: "4" });
  expect(item.id).toMatch(/^\w-\d+$/);
  expect([...kept].map(([field, values]) => [field, [...values].sort()])).toEqual([
    ["role", ["admin", "member"]],
  ]);
  expect(cassette.kept).toEqual(["admin", "member"]);
});

test("keeps the fields that you name, and the key of an object with a single key", () => {
  const links = { next: { page: 2 } };
  const body = { json: { plan: "Team Plus", note: "Team Plus", links } };
  const { cassette } = redact(
    [{ startedAt: "2026-05-04T02:00:00Z", exchanges: [exchangeWith({ body })] }],
    ["plan"],
  );
  const json = JSON.parse(JSON.stringify(cassette.runs[0]?.exchanges[0]?.response.body)).json;
  expect(json.plan).toBe("Team Plus");
  expect(json.note).not.toContain("Team");
  expect(json.links).toEqual(links);
});

test("gives equal words equal fakes in paths, parameters and links, in any letter case", () => {
  const first = exchangeWith({
    body: { json: { id: "Ada-77", mail: "ADA@x.example", next: `${ORIGIN}/v1/users?after=ada-77` } },
  });
  const second = exchangeWith({ url: `${ORIGIN}/v1/users/Ada-77?after=ada-77&q=own+words` });
  const { cassette } = redact([{ startedAt: "2026-05-04T02:00:00Z", exchanges: [first, second] }], []);
  const [one, two] = cassette.runs[0]?.exchanges ?? [];
  const { id, mail, next } = JSON.parse(JSON.stringify(one?.response.body)).json;
  expect(next).toBe(`${ORIGIN}/v1/users?after=${id.toLowerCase()}`);
  expect(mail.split("@")[0]).toBe(id.split("-")[0].toUpperCase());
  expect(two?.request.url).toBe(`${ORIGIN}/v1/users/${id}?after=${id.toLowerCase()}&q=own`);
});

test("handles a million digits quickly", () => {
  const body = { json: { hash: "0123456789abcdef".repeat(65_536), text: "<".repeat(100_000) } };
  const { cassette } = redact(
    [{ startedAt: "2026-05-04T02:00:00Z", exchanges: [exchangeWith({ body })] }],
    [],
  );
  expect(JSON.stringify(cassette)).not.toContain("0123456789abcdef");
});
