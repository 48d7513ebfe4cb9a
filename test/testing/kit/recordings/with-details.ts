import { get, people, post } from "./people.js";

/** A token exchange, one list of ids, and a request for each user. */
export function withDetails(count = 6) {
  const users = people(count);
  const grant = new URLSearchParams({
    grant_type: "client_credentials",
    client_secret: "own",
  });
  const token = { access_token: "access-token-of-the-recording", token_type: "Bearer", expires_in: 3600 };
  return [
    post("/oauth/token", { text: grant.toString() }, token),
    get("/v2/users", { users: users.map(({ id }) => ({ id })) }),
    ...users.map((user) => get(`/v2/users/${user.id}`, { ...user, groups: ["staff"] })),
  ];
}
