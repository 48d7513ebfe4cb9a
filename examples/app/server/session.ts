import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Has one password for everybody, and sessions in memory: use your company's login instead. */
export class Sessions {
  readonly #password: Buffer;
  readonly #ids = new Set<string>();

  constructor(password: string) {
    this.#password = Buffer.from(password);
  }

  has({ headers }: IncomingMessage): boolean {
    const id = /(?:^|; )session=([\w-]+)/.exec(headers.cookie ?? "")?.[1];
    return id !== undefined && this.#ids.has(id);
  }

  /** Answers `POST /login`, whose body is the password. No other site can send the cookie, and no script can read it. */
  async login(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const given = Buffer.from(await text(incoming));
    if (given.length !== this.#password.length || !timingSafeEqual(given, this.#password)) {
      outgoing.writeHead(401).end();
      return;
    }
    const id = randomBytes(32).toString("base64url");
    this.#ids.add(id);
    const cookie = `session=${id}; HttpOnly; SameSite=Strict; Path=/`;
    outgoing.writeHead(204, { "set-cookie": cookie }).end();
  }
}
