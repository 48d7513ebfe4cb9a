const program = require("../node/program.cjs");

test("loads the package with import() if jest can't require() modules", async () => {
  const sdk = await import("@saas-management/sdk");
  const result = await program(sdk, await import("@saas-management/sdk/testing"));
  expect(result).toEqual({ accepted: 2, refused: true, names: ["Figma", "Zoom"] });
});
