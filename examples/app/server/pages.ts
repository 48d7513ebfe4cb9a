import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";

type Pages = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Serves what `vite build` wrote. Reads all files in advance, so that a request's URL never becomes a path. */
export async function builtPages(folder: string): Promise<Pages> {
  const files = new Map<string, { readonly type: string; readonly body: Buffer }>();
  for (const name of await readdir(folder, { recursive: true })) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name}`, { type, body: await readFile(join(folder, name)) });
  }
  return ({ url = "/" }, outgoing) => {
    const path = url.split("?")[0] ?? "/";
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined) outgoing.writeHead(404).end();
    else outgoing.writeHead(200, { "content-type": file.type }).end(file.body);
  };
}

/** Serves the sources, for development. */
export async function sourcePages(root: string): Promise<Pages> {
  const { createServer } = await import("vite");
  return (await createServer({ root, server: { middlewareMode: true } })).middlewares;
}
