/** Version of the package, for the user agent; a test compares it with package.json. */
export const VERSION = "0.1.0";
