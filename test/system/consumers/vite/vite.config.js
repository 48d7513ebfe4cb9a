export default { build: { lib: { entry: "main.js", formats: ["es"], fileName: "main" } } };
