/** A source is an array of records, or an async iterable of records or of arrays of records. */
export const SOURCE_FORMS = ["array", "async", "async arrays"] as const;
export type SourceForm = (typeof SOURCE_FORMS)[number];

/** Records in one of the forms. */
export type Source<R> =
  | { readonly form: "array"; readonly records: readonly R[] }
  | { readonly form: "async"; readonly records: AsyncIterable<R> }
  | { readonly form: "async arrays"; readonly records: AsyncIterable<readonly R[]> };

/** Records per array, like a page of a vendor's API. */
export const PAGE = 1000;

/** A source of these records. */
export function toSource<R>(form: SourceForm, records: readonly R[]): Source<R> {
  if (form === "array") return { form, records };
  if (form === "async") return { form, records: oneByOne(records) };
  return { form, records: inPages(records) };
}

async function* oneByOne<R>(records: readonly R[]): AsyncGenerator<R, void, undefined> {
  for (const record of records) yield record;
}

async function* inPages<R>(records: readonly R[]): AsyncGenerator<readonly R[], void, undefined> {
  for (let from = 0; from < records.length; from += PAGE) yield records.slice(from, from + PAGE);
}
