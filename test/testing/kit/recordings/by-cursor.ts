import { PAGE_SIZE, pagesOf, people, post } from "./people.js";

const QUERY =
  "query Members($first: Int!, $after: String) { organization { members(first: $first, after: $after) { totalCount edges { node { id email } } pageInfo { hasNextPage endCursor } } } }";

/** A connection of GraphQL, inside an object. */
export function byCursor(count = 30) {
  const users = people(count);
  const pages = pagesOf(users);
  return pages.map((page, index) => {
    const after = index === 0 ? null : `cursor-${index * PAGE_SIZE}`;
    const members = {
      totalCount: users.length,
      edges: page.map((node) => ({ node })),
      pageInfo: {
        hasNextPage: index + 1 < pages.length,
        endCursor: `cursor-${index * PAGE_SIZE + page.length}`,
      },
    };
    return post(
      "/graphql",
      { json: { query: QUERY, variables: { first: PAGE_SIZE, after } } },
      { data: { organization: { id: "o-1", members } } },
    );
  });
}
