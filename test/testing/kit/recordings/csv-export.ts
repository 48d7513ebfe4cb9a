import { ORIGIN, people } from "./people.js";

/** A file, as one answer. */
export function csvExport(count = 30) {
  const rows = people(count).map(({ id, displayName, email }) => `${id},${displayName},${email}`);
  return [
    {
      request: {
        method: "GET",
        url: `${ORIGIN}/export.csv`,
        headers: { authorization: "Basic a2V5OnNlY3JldA==" },
      },
      response: {
        status: 200,
        headers: { "content-type": "text/csv; charset=utf-8" },
        body: { text: `${["id,name,email", ...rows].join("\n")}\n` },
      },
    },
  ];
}
