import type { GenericLicenseDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { SyncedInstallation } from "../../workspace.js";
import type { Assessment, LicenseAssessor } from "./license-assessor.js";
import type { LicensePlanRow } from "./license-plans.js";
import type { Money } from "./seat-price.js";

/** A license, as the schema shows it. It is assessed when somebody first asks for what that tells. */
export class LicenseRow {
  readonly id: string;
  readonly #license: GenericLicenseDetails;
  readonly #assessor: LicenseAssessor;
  #assessment: Assessment | undefined;

  /** @param plan null where the plan's record is missing. */
  constructor(
    installation: SyncedInstallation,
    license: GenericLicenseDetails,
    readonly plan: LicensePlanRow | null,
    assessor: LicenseAssessor,
  ) {
    this.id = `${installation.id}:${license.sourceId}`;
    this.#license = license;
    this.#assessor = assessor;
  }

  /** Whether it consumes a paid seat. */
  get isBillable(): boolean {
    return this.#license.billable === true;
  }

  get isUsed(): boolean {
    return this.state.activity === "USED";
  }

  get state(): Assessment["state"] {
    return this.#assessed.state;
  }

  get holder(): Assessment["holder"] {
    return this.#assessed.holder;
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only a license that is billable and not used can be saved. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    return (isPaid ? price?.paid : price?.free) ?? null;
  }

  get #assessed(): Assessment {
    this.#assessment ??= this.#assessor.assess(this.#license);
    return this.#assessment;
  }
}
