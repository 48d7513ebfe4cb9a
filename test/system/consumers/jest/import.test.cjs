const program = require("../node/program.cjs");

test("takes the package with import(), where jest has no require() of modules", async () => {
  const sdk = await import("@saas-management/sdk");
  const result = await program(sdk, await import("@saas-management/sdk/testing"));
  expect(result).toEqual({ accepted: 2, refused: true, names: ["Figma", "Zoom"] });
});
