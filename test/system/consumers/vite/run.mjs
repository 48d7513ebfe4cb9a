import { readdirSync, readFileSync } from "node:fs";
import { applicationNames } from "./dist/main.js";

const files = readdirSync("dist", { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const texts = files.map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, "utf8"));
// Matches imports only: the SDK also has a "node:" in the text by which it recognizes Node's stack frames.
const NODE = /\b(?:from|import|require)\s*\(?\s*["'](?:node:|@grpc\/)|__vite-browser-external/;
const needsNode = texts.some((text) => NODE.test(text));
const names = await applicationNames(process.env.BASE_URL, process.env.API_KEY);
console.log(JSON.stringify({ names, needsNode }));
