const program = require("../node/program.cjs");

test("loads the package with require()", async () => {
  const sdk = require("@saas-management/sdk");
  const result = await program(sdk, require("@saas-management/sdk/testing"));
  expect(result).toEqual({ accepted: 2, refused: true, names: ["Figma", "Zoom"] });
});
