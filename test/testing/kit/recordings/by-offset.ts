import { PAGE_SIZE, pagesOf, people, post } from "./people.js";

/** A search by POST for users with numbers as ids, with an offset in its body; the answer has the total. */
export function byOffset(count = 30) {
  const users = people(count).map((user, index) => ({ ...user, id: index + 1 }));
  return pagesOf(users).map((rows, index) =>
    post(
      "/search",
      { json: { type: "user", offset: index * PAGE_SIZE, limit: PAGE_SIZE } },
      { result: { rows, totalSize: users.length } },
    ),
  );
}
