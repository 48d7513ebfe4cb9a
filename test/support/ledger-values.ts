/** Edits values of a ledger, and corrects the checksum in their last line. This shares no code with the SDK. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { crc32 } from "node:zlib";

/** The text with a last line whose checksum is right. */
export function resealed(text: string): string {
  const lines = text.replace(/\\end .*\n$/, "");
  const sum = crc32(lines).toString(16).padStart(8, "0");
  return `${lines}\\end {"bytes":${Buffer.byteLength(lines)},"crc32":"${sum}"}\n`;
}

/** The fields in the first line. */
export function fieldsOf(text: string): object {
  return JSON.parse(text.slice("\\head ".length, text.indexOf("\n")));
}

export async function editFile(path: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(path, "utf8");
  if (change(text) === text) throw new Error(`Nothing changes in ${path}.`);
  await writeFile(path, change(text));
}

/** Replaces fields of a value. */
export async function editFields(path: string, fields: object): Promise<void> {
  const text = await readFile(path, "utf8");
  const rest = text.slice(text.indexOf("\n"));
  await writeFile(path, resealed(`\\head ${JSON.stringify({ ...fieldsOf(text), ...fields })}${rest}`));
}

/** Changes the time of a journal entry. @returns its new path */
export async function editTime(path: string, time: number): Promise<string> {
  const edited = path.replace(/\.\d+\.([0-9a-f]+\.\w+)$/, `.${Math.trunc(time)}.$1`);
  await rename(path, edited);
  await editFields(edited, { of: `${basename(dirname(edited))}/${basename(edited)}` });
  return edited;
}
