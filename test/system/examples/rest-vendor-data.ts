const AS_OF = "2026-11-20T06:00:00Z";
export const MAX_PAGE = 20;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const planOf = (n: number) => (n % 9 === 0 ? "guest" : n % 3 === 0 ? "business" : "team");

const users = numbers(55).map((n) => ({
  id: `usr_${1000 + n}`,
  name: `Person Number ${n}`,
  email: `Person.${n}@polarvik.example`,
  role: n % 25 === 1 ? "admin" : n % 9 === 0 ? "guest" : "member",
  suspended: n % 17 === 0,
}));
const plans = [
  { id: "team", name: "Team", seats: 40 },
  { id: "business", name: "Business", seats: 20 },
  { id: "guest", name: "Guest", seats: 50 },
];
const seats = numbers(50).map((n) => ({
  id: `seat_${5000 + n}`,
  userId: `usr_${1000 + n}`,
  planId: planOf(n),
  free: planOf(n) === "guest",
}));
const activity = numbers(45).map((n) => ({
  id: `act_${90_000 + n}`,
  userId: `usr_${1000 + n}`,
  planId: planOf(n),
  at: new Date(Date.UTC(2026, 9, 1, n * 5)).toISOString(),
}));

const LISTINGS = new Map<string, readonly object[]>([
  ["/v1/users", users],
  ["/v1/plans", plans],
  ["/v1/seats", seats],
]);

export const WORKSPACE = { id: "ws-7301", name: "Polarvik", users: users.length, seats: seats.length };

/** A page of a listing; undefined for an unknown path. @param since Returns only activity from this time on. */
export function pageOf(path: string, limit: number, cursor: string | undefined, since: string) {
  const items = path === "/v1/activity" ? activity.filter(({ at }) => at >= since) : LISTINGS.get(path);
  if (items === undefined) return undefined;
  const from = cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  const until = from + limit;
  return {
    workspace: WORKSPACE.id,
    items: items.slice(from, until),
    next: until < items.length ? Buffer.from(String(until)).toString("base64url") : null,
    total: items.length,
    asOf: AS_OF,
  };
}
