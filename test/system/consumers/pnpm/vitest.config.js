/** As applications test pages: in jsdom, whose globals are not those of Node, with the package compiled by Vite. */
export default {
  test: {
    environment: "jsdom",
    include: ["page.test.js"],
    // Vitest has a BASE_URL of its own.
    env: { SERVED: process.env.BASE_URL },
    server: { deps: { inline: ["@saas-management/sdk"] } },
  },
};
