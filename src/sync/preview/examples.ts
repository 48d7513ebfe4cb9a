/** Most examples of one kind that a preview holds. */
export const MAX_EXAMPLES = 20;
