import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";

/** How much of the file is certain, and where the listing continues behind it. */
interface Position {
  readonly bytes: number;
  readonly lines: number;
  readonly cursor: string;
}

/**
 * A JSON Lines file that another process can continue after this one was killed.
 *
 * - Lines are on disk before the position that says so: a kill between the two leaves lines that nobody vouches for.
 * - `open` cuts these off, whole or torn; the listing yields them again.
 * - The file has its name only when it is complete.
 */
export class ResumableFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #position: Position | undefined;

  private constructor(path: string, handle: FileHandle, position: Position | undefined) {
    this.#path = path;
    this.#handle = handle;
    this.#position = position;
  }

  static async open(path: string): Promise<ResumableFile> {
    const handle = await open(`${path}.part`, "a");
    const saved = await readPosition(`${path}.position`);
    const { size } = await handle.stat();
    // Somebody may have deleted the lines alone.
    const position = saved !== undefined && saved.bytes <= size ? saved : undefined;
    await handle.truncate(position?.bytes ?? 0);
    return new ResumableFile(path, handle, position);
  }

  /** Where the listing continues; undefined for its start. */
  get cursor(): string | undefined {
    return this.#position?.cursor;
  }

  get lines(): number {
    return this.#position?.lines ?? 0;
  }

  /** Adds a page, with the cursor to continue behind it. */
  async append(values: readonly object[], cursor: string | null): Promise<void> {
    // The page behind the last one is empty and has no cursor.
    if (values.length === 0 || cursor === null) return;
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
    await this.#handle.appendFile(text);
    await this.#handle.datasync();
    const bytes = (this.#position?.bytes ?? 0) + Buffer.byteLength(text);
    this.#position = { bytes, lines: this.lines + values.length, cursor };
    // Renamed, because a position that is half written would be worth nothing.
    await writeFile(`${this.#path}.position.new`, JSON.stringify(this.#position), { flush: true });
    await rename(`${this.#path}.position.new`, `${this.#path}.position`);
  }

  async complete(): Promise<void> {
    await rm(`${this.#path}.position`, { force: true });
    await rename(`${this.#path}.part`, this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function readPosition(path: string): Promise<Position | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
