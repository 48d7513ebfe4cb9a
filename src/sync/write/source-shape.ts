/**
 * Tells a source that its owner changed while it was written: one that is still being filled, or was emptied for its
 * next use, is not the whole.
 */
import { types } from "node:util";
import { InvalidInputError } from "../../core/errors/index.js";

/** Entries that are looked at to tell whether a list is still the same. */
const LANDMARKS = 8;

/** Up to so many entries each is looked at to find arrays of records; of more, the landmarks tell of them. */
const FEW = 1000;

/** What a list looks like: number of entries, and some of them. */
interface ListShape {
  readonly length: number;
  readonly landmarks: readonly unknown[];
}

/** What a source looks like when its write is called. */
interface SourceShape extends ListShape {
  /** The arrays of records that it holds. */
  readonly pages: readonly ListShape[];
}

/** What an array or a Set looks like; undefined for other sources, which show nothing before they are read. */
export function shapeOf(source: unknown): SourceShape | undefined {
  if (Array.isArray(source)) return withPages(pageShape(source), Array.prototype.values.call(source));
  if (types.isSet(source)) return keyedShape(source.size, () => Set.prototype.values.call(source));
  return undefined;
}

/** What an array of records looks like. */
export function pageShape(page: readonly unknown[]): ListShape {
  const { length } = page;
  const count = Math.min(length, LANDMARKS);
  const landmarks: unknown[] = [];
  for (let i = 0; i < count; i += 1) landmarks.push(page[landmark(i, count, length)]);
  return { length, landmarks };
}

/**
 * Checks that a source is the one that it was when its write was called.
 * @throws {InvalidInputError} it is not
 */
export function checkShape(source: unknown, shape: SourceShape | undefined): void {
  const now = shapeOf(source);
  if (shape === undefined || now === undefined) return;
  const what = Array.isArray(source) ? "is an array" : "is a collection";
  refuseChange(what, shape, now, AT_CALL);
  for (const [i, page] of shape.pages.entries()) refuseChange("holds an array", page, now.pages[i], AT_CALL);
}

/**
 * Checks that an array of records is the one that it was before the wait for the service.
 * @throws {InvalidInputError} it is not
 */
export function checkPage(page: readonly unknown[], shape: ListShape): void {
  refuseChange("gave an array", shape, pageShape(page), AT_WAIT);
}

/** Since when a list is to be the same, and what to do. */
interface Since {
  readonly when: string;
  readonly advice: string;
}

const AT_CALL: Since = {
  when: "when its write was called",
  advice: "Await whatever fills it before the write, and the write before whatever empties it",
};

const AT_WAIT: Since = {
  when: "when it was given",
  advice: "Make a new array for each that the source gives",
};

function refuseChange(
  what: string,
  before: ListShape,
  now: ListShape | undefined,
  { when, advice }: Since,
): void {
  const same = now !== undefined && before.landmarks.every((entry, i) => Object.is(entry, now.landmarks[i]));
  if (same && now.length === before.length) return;
  const how =
    now === undefined || now.length === before.length
      ? "holds other entries now"
      : `had ${before.length} entries ${when} and has ${now.length} now`;
  throw new InvalidInputError(
    `The source ${what} that ${how}: it was changed while it was written, so what was sent may be a part. ${advice}; then start a new batch.`,
  );
}

/**
 * The shape of a Set, of which the first entries are landmarks: there is no way to the others but past these.
 */
function keyedShape(length: number, entries: () => Iterable<unknown>): SourceShape {
  const landmarks: unknown[] = [];
  for (const entry of entries()) {
    if (landmarks.length === LANDMARKS) break;
    landmarks.push(entry);
  }
  return withPages({ length, landmarks }, entries());
}

function withPages(shape: ListShape, entries: Iterable<unknown>): SourceShape {
  const pages: ListShape[] = [];
  if (shape.length <= FEW || shape.landmarks.some(Array.isArray)) {
    for (const entry of entries) if (Array.isArray(entry)) pages.push(pageShape(entry));
  }
  return { ...shape, pages };
}

/** From the first entry to the last one, evenly. */
function landmark(i: number, count: number, length: number): number {
  return count === length ? i : Math.round((i * (length - 1)) / (count - 1));
}
