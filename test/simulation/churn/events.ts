/** Events of organisations. Those of which an operator should be asked are marked. */
import { type Behaviour, join, type Shape, sometimes } from "./behaviours.js";

const ASKED = { isAsked: true };
const ROUTINE = { isAsked: false };
const PHONE = 1 << 4;
const DEPARTMENT = 1 << 2;
const PLAN = 0b11 << 9;

export function layoff(timesAYear: number, share: number): Behaviour {
  return sometimes(timesAYear, (all, random) => all.leaveSome(Math.round(all.size * share), random), ASKED);
}

export function acquisition(timesAYear: number, share: number, shape: Shape = {}): Behaviour {
  return sometimes(
    timesAYear,
    (all, random) => join(all, Math.round(all.size * share), shape, random),
    ASKED,
  );
}

export function idMigration(timesAYear: number): Behaviour {
  return sometimes(timesAYear, (all, random) => all.renew(all.size, random), ASKED);
}

/** The domain changes, and the names of the people do not. */
export function mailMigration(timesAYear: number): Behaviour {
  return sometimes(timesAYear, (all) => all.migrateMail(), ROUTINE);
}

/** Names are written in another way, such as surname first. */
export function renaming(timesAYear: number): Behaviour {
  return sometimes(timesAYear, (all) => all.renameAll(), ROUTINE);
}

export function licenceCleanUp(timesAYear: number, share: number): Behaviour {
  return sometimes(timesAYear, (all, random) => all.leaveSome(Math.round(all.size * share), random), {
    isAsked: share > 0.25,
  });
}

/** All get another plan at once. */
export function planUpgrade(timesAYear: number): Behaviour {
  return sometimes(
    timesAYear,
    (all, random) =>
      all.change(1, random, (traits) => (traits & ~PLAN) | (((traits & PLAN) + (1 << 9)) & PLAN)),
    ASKED,
  );
}

/** A field is deleted for the sake of privacy. */
export function fieldCleanUp(timesAYear: number): Behaviour {
  return sometimes(timesAYear, (all, random) => all.change(1, random, (traits) => traits & ~PHONE), ASKED);
}

/** A part of the records is under new ids, as memberships are, and some departments are not assigned yet. */
export function reorganisation(timesAYear: number, share: number): Behaviour {
  return sometimes(
    timesAYear,
    (all, random) => {
      all.renew(Math.round(all.size * share), random);
      all.change(share / 4, random, (traits) => traits & ~DEPARTMENT);
    },
    ROUTINE,
  );
}

/** Accounts that nobody used are removed or deactivated after a review. */
export function accessReview(timesAYear: number, share: number): Behaviour {
  return sometimes(
    timesAYear,
    (all, random) => {
      all.leaveSome(random.binomial(all.size, share), random);
      all.change(share, random, (traits) => traits | (1 << 6));
    },
    ROUTINE,
  );
}
