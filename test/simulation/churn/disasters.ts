/** What goes wrong with sources, by what the guard sees of it. */
import type { SnapshotProfile } from "../../../src/sync/ids/snapshot-profile.js";
import { CHOICES, type Choice, type FIELDS, type Field } from "./population.js";
import type { Random } from "./random.js";

/** A snapshot by its counts: how many ids it has, and how many of those that the one before had. */
export interface Outline {
  readonly sent: number;
  readonly kept: number;
  readonly profile: SnapshotProfile;
}

/** What a source really holds when it goes wrong. */
export interface Scene {
  readonly truth: Outline;
  /** Number of ids of the last completed snapshot. */
  readonly known: number;
  /** How many records came and left within the last months. */
  readonly recent: { readonly joined: number; readonly left: number };
}

export interface Disaster {
  readonly name: string;
  readonly concerns: "ids" | "fields";
  /** The damage from which a person would see it in the figures of a snapshot. */
  readonly visibleFrom: number;
  /** The snapshots of one run after the other. The damage is a share of the records, or of a field's values. */
  play(scene: Scene, random: Random): { readonly snapshots: readonly Outline[]; readonly damage: number };
}

type Play = Disaster["play"];

const ids = (name: string, play: Play): Disaster => ({ name, concerns: "ids", visibleFrom: 0.25, play });
const fields = (name: string, play: Play): Disaster => ({
  name,
  concerns: "fields",
  visibleFrom: 0.25,
  play,
});
/** Values that are shared out otherwise: less than the half is what organisations do themselves. */
const choices = (name: string, play: Play): Disaster => ({ ...fields(name, play), visibleFrom: 0.5 });

export const DISASTERS: readonly Disaster[] = [
  ids(
    "one page of forty",
    lostShare(() => 39 / 40),
  ),
  ids(
    "an empty answer",
    lostShare(() => 1),
  ),
  ids(
    "a part of the source is missing",
    lostShare((random) => random.between(0.3, 0.7)),
  ),
  ids(
    "every other page is skipped",
    lostShare(() => 0.5),
  ),
  ids(
    "only changes instead of all records",
    lostShare((random) => random.between(0.9, 0.995)),
  ),
  ids(
    "only the own department is visible",
    lostShare((random) => random.between(0.7, 0.95)),
  ),
  ids("a limit of records", ({ truth }, random) => {
    const limit = [50, 100, 500, 1000, 10_000][random.below(5)] ?? 50;
    return lose(truth, Math.max(0, 1 - limit / truth.sent), random);
  }),
  ids("a filter for inactive records", ({ truth }, random) =>
    lose(truth, share(truth.profile, "status", "ACTIVE"), random),
  ),
  ids("erosion, 24 % a run", erosion(0.24, 6)),
  ids("erosion, 8 % a run", erosion(0.08, 12)),
  ids("halves that take turns", ({ truth }, random) => {
    const first = thinned(truth, 0.5, random);
    const others = { ...first, kept: 0 };
    return { snapshots: [first, others, others], damage: 0.5 };
  }),
  ids("another tenant", ({ truth }, random) => {
    const sent = Math.ceil(truth.sent * random.between(0.2, 3));
    return { snapshots: [{ sent, kept: 0, profile: scaled(truth.profile, sent) }], damage: 1 };
  }),
  ids(
    "another prefix of ids",
    renamed(() => 1),
  ),
  ids(
    "another case of ids",
    renamed((random) => random.between(0.55, 0.95)),
  ),
  ids("shortened ids that collide", ({ truth }, random) => {
    const sent = Math.ceil(truth.sent * random.between(0.1, 0.9));
    return { snapshots: [{ sent, kept: 0, profile: scaled(truth.profile, sent) }], damage: 1 };
  }),
  ids("ids change in slices", ({ truth }, random) => {
    const slice = random.between(0.1, 0.24);
    const runs = Math.ceil(0.8 / slice);
    const snapshots = Array.from({ length: runs }, (_, i) => {
      const before = i === 0 ? truth.kept : truth.sent;
      return { ...truth, kept: Math.max(0, before - Math.round(before * slice)) };
    });
    return { snapshots, damage: Math.min(1, slice * runs) };
  }),
  ids(
    "a flood, twentyfold",
    grown(() => 19),
  ),
  ids(
    "a second tenant beside the first",
    grown((random) => random.between(0.5, 2)),
  ),
  ids("an answer of 90 days ago", ({ truth, recent, known }) => {
    const gone = Math.min(truth.kept, recent.joined);
    const sent = truth.kept - gone + recent.left;
    const snapshots = [{ sent, kept: truth.kept - gone, profile: scaled(truth.profile, sent) }];
    return { snapshots, damage: gone / known };
  }),
  fields(
    "a column of addresses is renamed",
    emptied("email", () => 1),
  ),
  fields(
    "a field without permission",
    emptied("department", () => 1),
  ),
  fields(
    "null from a part of the source",
    emptied("email", (random) => random.between(0.3, 0.9)),
  ),
  fields(
    "null in a field that few have",
    emptied("phone", () => 1),
  ),
  fields("several columns are renamed", ({ truth }) => {
    const { name: _, email: __, title: ___, ...filled } = truth.profile.filled;
    return { snapshots: [{ ...truth, profile: { ...truth.profile, filled } }], damage: 1 };
  }),
  fields("a field empties, 20 % a run", ({ truth }) => {
    const left = [0.8, 0.64, 0.51, 0.41, 0.33, 0.26];
    const count = truth.profile.filled["email"] ?? 0;
    const snapshots = left.map((rest, i) => ({
      ...again(truth, i),
      profile: withFilled(truth.profile, "email", Math.round(count * rest)),
    }));
    return { snapshots, damage: 0.74 };
  }),
  fields("an enum cannot be read", ({ truth }) => {
    const { plan: _, ...filled } = truth.profile.filled;
    const { plan: __, ...choices } = truth.profile.choices;
    return { snapshots: [{ ...truth, profile: { ...truth.profile, filled, choices } }], damage: 1 };
  }),
  choices(
    "the status column is renamed",
    chosen("status", (counts) => ({ INACTIVE: total(counts) })),
  ),
  choices(
    "a boolean is inverted",
    chosen("mfa", ({ true: yes = 0, false: no = 0 }) => ({ true: no, false: yes })),
  ),
  choices(
    "a default instead of the plan",
    chosen("plan", (counts) => ({ TRIAL: total(counts) })),
  ),
  fields("other people under the same ids", ({ truth }, random) => {
    const sample = Buffer.from(truth.profile.sample, "base64");
    for (const i of sample.keys()) if (i % 4 >= 2) sample[i] = random.below(256);
    return {
      snapshots: [{ ...truth, profile: { ...truth.profile, sample: sample.toString("base64") } }],
      damage: 1,
    };
  }),
];

function lostShare(shareOf: (random: Random) => number): Play {
  return ({ truth }, random) => lose(truth, shareOf(random), random);
}

function lose(truth: Outline, share: number, random: Random) {
  const snapshot = thinned(truth, 1 - share, random);
  return { snapshots: [snapshot], damage: truth.kept === 0 ? 0 : 1 - snapshot.kept / truth.kept };
}

function erosion(share: number, runs: number): Play {
  return ({ truth }, random) => {
    const snapshots: Outline[] = [];
    let outline = truth;
    for (let i = 0; i < runs; i += 1) {
      const next = thinned(outline, 1 - share, random);
      snapshots.push(next);
      outline = { ...next, kept: next.sent };
    }
    return { snapshots, damage: truth.sent === 0 ? 0 : 1 - outline.sent / truth.sent };
  };
}

function renamed(shareOf: (random: Random) => number): Play {
  return ({ truth }, random) => {
    const kept = random.binomial(truth.kept, 1 - shareOf(random));
    return { snapshots: [{ ...truth, kept }], damage: truth.kept === 0 ? 0 : 1 - kept / truth.kept };
  };
}

function grown(shareOf: (random: Random) => number): Play {
  return ({ truth }, random) => {
    const foreign = Math.round(truth.sent * shareOf(random));
    const sent = truth.sent + foreign;
    return { snapshots: [{ ...truth, sent, profile: scaled(truth.profile, sent) }], damage: foreign / sent };
  };
}

function emptied(field: Field, shareOf: (random: Random) => number): Play {
  return ({ truth }, random) => {
    const count = truth.profile.filled[field] ?? 0;
    const left = random.binomial(count, 1 - shareOf(random));
    return {
      snapshots: [{ ...truth, profile: withFilled(truth.profile, field, left) }],
      damage: count === 0 ? 0 : 1 - left / count,
    };
  };
}

/** The damage counts if it is to be seen in how the values are shared out. */
function chosen(
  field: Choice,
  change: (counts: Readonly<Record<string, number>>) => Readonly<Record<string, number>>,
): Play {
  return ({ truth }) => {
    const before = truth.profile.choices[field] ?? {};
    const now = change(before);
    const values = CHOICES.find((choice) => choice.field === field)?.values ?? [];
    const moved = values.reduce((sum, value) => sum + Math.abs((now[value] ?? 0) - (before[value] ?? 0)), 0);
    const profile = { ...truth.profile, choices: { ...truth.profile.choices, [field]: now } };
    return {
      snapshots: [{ ...truth, profile }],
      damage: total(before) === 0 ? 0 : moved / 2 / total(before),
    };
  };
}

function thinned({ sent, kept, profile }: Outline, share: number, random: Random): Outline {
  const left = random.binomial(kept, share);
  const all = left + random.binomial(sent - kept, share);
  return { sent: all, kept: left, profile: scaled(profile, all) };
}

/** The same shares of values among so many records. */
function scaled(profile: SnapshotProfile, records: number): SnapshotProfile {
  const factor = profile.records === 0 ? 0 : records / profile.records;
  const times = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Math.round(count * factor)]));
  const sample = Buffer.from(profile.sample, "base64");
  // Records that are missing are missing in the sample too; others would take their places.
  const kept = Math.round((sample.length / 4) * Math.min(1, factor)) * 4;
  return {
    records,
    filled: times(profile.filled),
    choices: Object.fromEntries(
      Object.entries(profile.choices).map(([field, counts]) => [field, times(counts)]),
    ),
    sample: sample.subarray(0, kept).toString("base64"),
  };
}

function withFilled(
  profile: SnapshotProfile,
  field: (typeof FIELDS)[number],
  count: number,
): SnapshotProfile {
  return { ...profile, filled: { ...profile.filled, [field]: count } };
}

/** The same records in a later run. */
function again(truth: Outline, run: number): Outline {
  return run === 0 ? truth : { ...truth, kept: truth.sent };
}

function share({ choices }: SnapshotProfile, field: Choice, value: string): number {
  const counts = choices[field] ?? {};
  return (counts[value] ?? 0) / Math.max(1, total(counts));
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
