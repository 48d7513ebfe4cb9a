import { StringDecoder } from "node:string_decoder";

type Written = Parameters<typeof process.stdout.write>[2];

/**
 * Takes over a stream of the process: `take` receives each line that connectors and libraries print there.
 * @returns the stream's own `write`
 */
export function takeOver(stream: NodeJS.WriteStream, take: (line: string) => void): typeof stream.write {
  const write: typeof stream.write = stream.write.bind(stream);
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const takeLines = (text: string) => {
    const lines = text.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(line);
  };
  stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Written, written?: Written) => {
    takeLines(rest + (typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk))));
    const done = typeof encoding === "function" ? encoding : written;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  process.once("exit", () => takeLines(`${rest}\n`));
  return write;
}
