import { ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";
import type { ApiKeys } from "../keys.js";
import { presentedKey } from "./authorize.js";

/**
 * Lets the calls that take one message begin without it where their key is not known.
 *
 * The library reads that message before it asks anybody: a hundred calls of a stranger would each keep 16 MiB of one
 * that is never finished. The handler of such a call gets an empty message and refuses the key, and nothing was kept. A
 * stream is not read before its handler has looked at the key.
 */
export function unreadWithoutKey(keys: Pick<ApiKeys, "lookUp">): ServerInterceptor {
  return (method, call) =>
    method.requestStream ? new ServerInterceptingCall(call) : new UnreadCall(call, keys);
}

type NextCall = ConstructorParameters<typeof ServerInterceptingCall>[0];
type Listener = Parameters<ServerInterceptingCall["start"]>[0];

class UnreadCall extends ServerInterceptingCall {
  readonly #keys: Pick<ApiKeys, "lookUp">;
  /** Who is told of an empty message; undefined where the message is read. */
  #stranger: Listener | undefined;
  #reads = 0;

  constructor(call: NextCall, keys: Pick<ApiKeys, "lookUp">) {
    super(call);
    this.#keys = keys;
  }

  override start(listener: Listener): void {
    super.start({
      onReceiveMetadata: (metadata) => {
        if (this.#keys.lookUp(presentedKey(metadata)).status !== "ok") this.#stranger = listener;
        listener.onReceiveMetadata(metadata);
      },
      onReceiveMessage: (message) => listener.onReceiveMessage(message),
      onReceiveHalfClose: () => listener.onReceiveHalfClose(),
      onCancel: () => listener.onCancel(),
    });
  }

  override startRead(): void {
    this.#reads += 1;
    if (this.#stranger === undefined) super.startRead();
    else if (this.#reads === 1) this.#stranger.onReceiveMessage(Buffer.alloc(0));
    else this.#stranger.onReceiveHalfClose();
  }
}
