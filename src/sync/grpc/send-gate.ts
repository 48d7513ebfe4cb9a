import { type CallCredentials, credentials, Metadata } from "@grpc/grpc-js";

/**
 * Tells whether anything of a call was sent, and keeps it back once it was given up.
 *
 * It stands where grpc-js asks for the credentials of a call: when it has a connection for it, right before it opens
 * the stream. A call that never came so far left nothing on any connection.
 */
export class SendGate {
  readonly #signal: AbortSignal;
  #passed = false;

  /** @param signal Fires when the call is given up. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether something of the call may have been sent. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Credentials that add nothing to the call. */
  get credentials(): CallCredentials {
    return credentials.createFromMetadataGenerator((_, callback) => {
      if (this.#signal.aborted) return callback(new Error("The call was given up."));
      this.#passed = true;
      callback(null, new Metadata());
    });
  }
}
