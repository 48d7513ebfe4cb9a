/** The text, or null where there is none. */
export function filled(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" ? null : text;
}

/** The name of a product as it is compared: sources do not agree on case. */
export function productKey(name: string): string {
  return name.trim().toLowerCase();
}

/** An e-mail address as it is compared: without regard to case. */
export function addressKey(email: string): string {
  return email.trim().toLowerCase();
}
