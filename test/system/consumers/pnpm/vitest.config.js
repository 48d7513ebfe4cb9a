/** Tests pages as applications do: in jsdom, whose globals aren't Node's, with the package compiled by Vite. */
export default {
  test: {
    environment: "jsdom",
    include: ["page.test.js"],
    // Vitest sets its own BASE_URL.
    env: { SERVED: process.env.BASE_URL },
    server: { deps: { inline: ["@saas-management/sdk"] } },
  },
};
