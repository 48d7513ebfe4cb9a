import { readdirSync, readFileSync } from "node:fs";
import { applicationNames } from "./dist/main.js";

const files = readdirSync("dist", { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const texts = files.map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, "utf8"));
const needsNode = texts.some((text) => /["'](?:node:|@grpc\/)|__vite-browser-external/.test(text));
const names = await applicationNames(process.env.BASE_URL, process.env.API_KEY);
console.log(JSON.stringify({ names, needsNode }));
