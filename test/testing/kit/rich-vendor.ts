import { gzipSync } from "node:zlib";
import { defineConnector } from "@saas-management/sdk";
import type { RecordTypes } from "@saas-management/sdk/testing";
import axios from "axios";
import { serveVendor } from "./serve-vendor.js";

/** A vendor that answers with every kind of secret and of personal data, and a connector for it. */
export interface RichVendor {
  readonly origin: string;
  readonly connector: ReturnType<typeof connectorOf>;
  /** Records of the connector's last run. */
  readonly written: Written;
}

export type Written = { [C in "accounts" | "groups" | "groupMembers" | "usage"]: RecordTypes[C][] };

export interface Person {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly login: string;
  readonly phone: string;
  readonly ip: string;
}

export const PEOPLE: readonly Person[] = [
  {
    id: "u-1",
    first: "Ottilie",
    last: "Brandtner",
    login: "obrandtner",
    phone: "+43 664 1234567",
    ip: "83.12.44.17",
  },
  {
    id: "u-2",
    first: "José",
    last: "O'Hara",
    login: "jose77",
    phone: "(0171) 555-0182",
    ip: "2a02:8388:6c0:1::17",
  },
  {
    id: "u-3",
    first: "Wilhelmina",
    last: "van der Zee",
    login: "w.vanderzee",
    phone: "0031201234567",
    ip: "145.9.1.2",
  },
];
const CLIENT_SECRET = "cs_4f9a1b7c3d5e8f02a6b4c8d0e1f3a5b7";
const ACCESS_TOKEN = "at_77c1f0a9e4b24d6c8a1e5f3b9d7c2a60";
const API_KEY = "ak_0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e";
const SESSION = "s%3A9d8c7b6a5f4e3d2c1b0a";
const PASSWORD = "hunter2";
export const SECRETS = [CLIENT_SECRET, ACCESS_TOKEN, API_KEY, SESSION, PASSWORD];

const emailOf = ({ first, last }: Person) => {
  const name = `${first}.${last}`.toLowerCase().normalize("NFD");
  return `${name.replace(/[^a-z.]/g, "")}@brandtner-industries.example`;
};

/** Every value that must not be in a cassette. */
export const PERSONAL: readonly string[] = PEOPLE.flatMap((person) => [
  emailOf(person),
  emailOf(person).toUpperCase(),
  `${person.first} ${person.last}`,
  person.last,
  person.first,
  person.login,
  person.phone,
  person.ip,
  `${person.last}gasse 7`,
]);

const claims = {
  sub: "u-1",
  email: "ottilie.brandtner@brandtner-industries.example",
  given_name: "Ottilie",
  exp: 1_800_000_000,
};
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const ID_TOKEN = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.c2lnbmF0dXJlLW9mLXRoZS12ZW5kb3I`;

export async function startRichVendor(): Promise<RichVendor> {
  const people = PEOPLE;
  let origin = "";
  const handle = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const body = await request.text();
    if (url.pathname === "/oauth/token") {
      if (!body.includes(CLIENT_SECRET) || !body.includes(PASSWORD)) return new Response("", { status: 401 });
      const headers = { "set-cookie": `sid=${SESSION}; Path=/; HttpOnly` };
      return Response.json({ access_token: ACCESS_TOKEN, id_token: ID_TOKEN, expires_in: 3600 }, { headers });
    }
    if (request.headers.get("authorization") !== `Bearer ${ACCESS_TOKEN}`)
      return new Response("", { status: 401 });
    return answer({ url, body, people, origin });
  };
  origin = await serveVendor(handle);
  const written: Written = { accounts: [], groups: [], groupMembers: [], usage: [] };
  return { origin, connector: connectorOf(origin, written), written };
}

interface Asked {
  readonly url: URL;
  readonly body: string;
  readonly people: readonly Person[];
  readonly origin: string;
}

function answer({ url, body, people, origin }: Asked): Response {
  const [, resource, key = "", of] = url.pathname.split("/");
  if (resource === "users" && of === "groups") {
    const person = people.find((one) => emailOf(one) === decodeURIComponent(key));
    if (person === undefined || url.searchParams.get("api_key") !== API_KEY)
      return new Response("", { status: 404 });
    return Response.json({
      groups: [{ id: `g-${person.id.slice(2)}`, name: "Engineering", admin: person.login }],
    });
  }
  if (resource === "users") {
    // The cursor holds the address of the last one.
    const after = Buffer.from(url.searchParams.get("after") ?? "", "base64")
      .toString()
      .slice("after:".length);
    const at = people.findIndex((one) => emailOf(one) === after) + 1;
    const person = people[at];
    if (person === undefined) return Response.json({ users: [] });
    const next = Buffer.from(`after:${emailOf(person)}`).toString("base64");
    const link = `<${origin}/users?after=${encodeURIComponent(next)}&login=${person.login}>; rel="next"`;
    const more = at + 1 < people.length;
    return gzipped({ users: [userOf(person)], next: more ? next : null }, more ? { link } : {});
  }
  if (resource === "events") {
    const { query } = JSON.parse(body);
    const [first] = people.filter(({ login }) => query.logins.includes(login));
    if (first === undefined) return new Response("", { status: 400 });
    const lines = people.map((person) => JSON.stringify(eventOf(person)));
    return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "application/x-ndjson" } });
  }
  if (resource === "page")
    return new Response(`<p>Write to ${emailOf(PEOPLE[0] ?? fail())}</p>`, {
      headers: { "content-type": "text/html" },
    });
  const byLogin = people.map((person) => [person.login, { role: "member", since: "2024-02-03" }]);
  return Response.json(Object.fromEntries(byLogin));
}

function userOf(person: Person) {
  return {
    id: person.id,
    userName: emailOf(person).toUpperCase(),
    name: { givenName: person.first, familyName: person.last, formatted: `${person.first} ${person.last}` },
    login: person.login,
    emails: [{ value: emailOf(person), type: "work" }],
    phoneNumbers: [{ value: person.phone, type: "mobile" }],
    addresses: [{ streetAddress: `${person.last}gasse 7`, locality: "Wien", country: "AT" }],
    customAttributes: [{ name: "mobile_phone", value: person.phone }],
    role: "member",
    note: `${person.first} ${person.last} was hired in 2021 (login ${person.login}).`,
    dn: `CN=${person.first} ${person.last},OU=Users,DC=example`,
    lastLogin: "2026-11-20T08:00:00Z",
    client_ip: person.ip,
  };
}

function eventOf(person: Person) {
  return {
    id: `e-${person.id}`,
    actor: { id: person.id, displayName: `${person.first} ${person.last}` },
    sourceIp: person.ip,
    at: "2026-11-20T08:00:00Z",
  };
}

function gzipped(body: unknown, headers: Readonly<Record<string, string>>): Response {
  const bytes = gzipSync(JSON.stringify(body));
  return new Response(bytes, {
    headers: { "content-type": "application/json", "content-encoding": "gzip", ...headers },
  });
}

function fail(): never {
  throw new Error("There are no people.");
}

interface User extends ReturnType<typeof userOf> {}

function connectorOf(origin: string, written: Written) {
  return defineConnector({
    snapshots: ["accounts", "groups", "groupMembers"],
    run: async (batch) => {
      const form = {
        grant_type: "password",
        username: "svc-sync",
        password: PASSWORD,
        client_secret: CLIENT_SECRET,
      };
      const granted = await fetch(`${origin}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams(form),
      });
      const { access_token } = await granted.json();
      const headers = {
        authorization: `Bearer ${access_token}`,
        cookie: granted.headers.getSetCookie()[0]?.split(";")[0] ?? "",
      };
      const get = async (path: string) => {
        const response = await axios.get(`${origin}${path}`, { headers });
        return response.data;
      };
      const users: User[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const page: { users: User[]; next: string | null } = await get(
          after === "" ? "/users" : `/users?after=${encodeURIComponent(after)}`,
        );
        users.push(...page.users);
        after = page.next;
      }
      const roles = await get("/roles");
      written.accounts = users.map((user) => ({
        id: user.id,
        name: user.name.formatted,
        email: user.userName.toLowerCase(),
        username: user.login,
        roles: [roles[user.login].role],
      }));
      const memberships = [];
      for (const user of users) {
        const email = user.emails[0]?.value ?? "";
        const { groups } = await get(`/users/${encodeURIComponent(email)}/groups?api_key=${API_KEY}`);
        for (const group of groups) memberships.push({ ...group, user });
      }
      await get("/page");
      const asked = { query: { logins: users.map(({ login }) => login), at: new Date().toISOString() } };
      const events = await fetch(`${origin}/events`, {
        method: "POST",
        headers,
        body: JSON.stringify(asked),
      });
      const lines = (await events.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const actors = new Set(users.map(({ name, client_ip }) => `${name.formatted} ${client_ip}`));
      written.groups = memberships.map(({ id, name }) => ({ id, name }));
      // Joined by the login and by the name: the ids of fakes must still meet.
      written.groupMembers = memberships
        .filter(({ admin }) => written.accounts.some(({ username }) => username === admin))
        .map(({ id, user }) => ({ id: `m-${id}`, sourceGroupId: id, sourceMemberId: user.id }));
      written.usage = lines
        .filter((line) => actors.has(`${line.actor.displayName} ${line.sourceIp}`))
        .map((line) => ({ id: line.id, sourceActorId: line.actor.id, lastActivity: line.at }));
      await batch.write("accounts", written.accounts);
      await batch.write("groups", written.groups);
      await batch.write("groupMembers", written.groupMembers);
      await batch.write("usage", written.usage);
    },
  });
}
