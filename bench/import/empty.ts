/** Nothing: what importing it takes is what importing anything takes. */
export {};
