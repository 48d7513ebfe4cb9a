import { Client, type Entry } from "ldapts";

/** A server answers with so many entries at once; most refuse more than 1,000. */
const PAGE = 200;
const TIMEOUT_MS = 60_000;

export interface Login {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** A directory that was logged in to. */
export async function openDirectory({ url, user, password }: Login) {
  const client = new Client({ url, timeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS });
  await client.bind(user, password);
  return {
    search: (base: string, filter: string, attributes: readonly string[]) =>
      search(client, base, filter, attributes),
    [Symbol.asyncDispose]: () => client.unbind(),
  };
}

/** All entries, page by page. A search that the server ends early throws. */
async function* search(client: Client, base: string, filter: string, attributes: readonly string[]) {
  const pages = client.searchPaginated(base, {
    filter,
    attributes: [...attributes],
    paged: { pageSize: PAGE },
  });
  for await (const { searchEntries, searchReferences } of pages) {
    // Their entries are on another server, and would be missing here.
    if (searchReferences.length > 0)
      throw new Error(
        `The directory refers to ${searchReferences.length} other servers. Choose a lower base.`,
      );
    yield searchEntries.map((entry) => new DirectoryEntry(entry));
  }
}

/** An entry, with its values as text. */
export class DirectoryEntry {
  readonly #entry: Entry;

  constructor(entry: Entry) {
    this.#entry = entry;
    // Active Directory cuts a list of more than 1,500 values, and says so in the name of the attribute.
    const cut = Object.keys(entry).find((name) => name.includes(";range="));
    if (cut !== undefined) throw new Error(`The directory sent only a part of the attribute ${cut}.`);
  }

  /** Its distinguished name, to compare with {@link placeOf}. */
  get place(): string {
    return placeOf(this.#entry.dn);
  }

  /** Its id, which stays the same if it is renamed or moved. */
  get id(): string {
    return this.required("entryUUID");
  }

  required(name: string): string {
    const value = this.text(name);
    // Without it the person would look like another one, or like nobody.
    if (value === undefined) throw new Error(`An entry of the directory has no attribute ${name}.`);
    return value;
  }

  text(name: string): string | undefined {
    return this.all(name)[0];
  }

  all(name: string): readonly string[] {
    const value = this.#entry[name] ?? [];
    return (Array.isArray(value) ? value : [value]).map(String).filter((text) => text !== "");
  }
}

/** A distinguished name without the ways in which it may be written: case, blanks between parts, `\,` or `\2C`. */
export function placeOf(name: string): string {
  return name
    .replaceAll(/\\([^\da-f])/gi, (_, escaped: string) => `\\${escaped.charCodeAt(0).toString(16)}`)
    .replaceAll(/\s*([,=])\s*/g, "$1")
    .toLowerCase();
}
