/** The rules of COMMIT that can be taken away, as issue 21 numbers them, and what is done without each. */
export const RULES = {
  "COMMIT 2 token": "the token of the ledger is read after the verdict's baseline",
  "COMMIT 2 batches": "the token of the ledger names runs instead of batches",
  "COMMIT 3 fate": "a commit claims no fate, and a discard asks for none",
  "COMMIT 5a receipt": "the receipt is not read again under the lock",
  "COMMIT 5b completed": "that the ledger has this run as completed is not looked at",
  "COMMIT 5c pending": "the service is not asked about an earlier batch of this run",
  "COMMIT 5d order": "a run that is not in `after` does not matter",
  "COMMIT 5d pendings": "only completed runs matter for the order, pending ones do not",
  "COMMIT 5e token": "the verdict stays although the ledger changed",
  "COMMIT 5f sequence": "the sequence is drawn while judging",
  "COMMIT 7 first": "pending is saved after the completion",
  "COMMIT 7 batch": "batches of one run and sequence share the key of their pending",
  "COMMIT 8 unclear": "an abort that is answered OK drops the pending of an unclear completion",
  "COMMIT 9 sequence": "promoting replaces whatever is completed, and deletes all pendings",
  "COMMIT 10 watermarks": "the receipt is put before the watermarks",
  "COMMIT 10 receipt": "the segments are deleted before the receipt is put",
  "PLAIN lock": "a plain run judges before it has the lock",
  "PLAIN sequence": "a plain run draws its sequence before it has the lock",
  "PLAIN ledger": "a plain run beside staged ones has another ledger, or none",
} as const;

export type Rule = keyof typeof RULES;
