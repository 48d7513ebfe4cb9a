import {
  type CallOptions,
  type Client,
  type ClientUnaryCall,
  type ClientWritableStream,
  Metadata,
  type ServiceError,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { onAbort } from "../../core/abort.js";
import { SyncProtocolError } from "../../core/errors/index.js";
import type { AttemptContext } from "../../core/operation.js";
import type { StoredMessage } from "../transport.js";
import { type FailedCall, UNKNOWN_COMPRESSION } from "./status.js";

export interface CallStart {
  readonly operation: string;
  readonly metadata: Metadata;
  readonly options: CallOptions;
  /** Cancels the call, which then rejects at once with the signal's reason. */
  readonly signal: AbortSignal;
  readonly answered: AttemptContext["answered"];
  readonly toError: (failed: FailedCall) => Error;
  readonly upload: Upload;
}

/** How far a call got. */
export interface Upload {
  isSent: boolean;
  /** Number of messages handed to the connection. */
  messages: number;
  isWhole: boolean;
  failure?: FailedCall;
}

/** Makes one call on a client. `discard` keeps later calls off the client's connection. */
export type Call<Response> = (client: Client, start: CallStart, discard: () => void) => Promise<Response>;

interface Method<Response> {
  readonly path: string;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

export function unary<Response>(method: Method<Response>, request: Uint8Array): Call<Response> {
  const { path, responseDeserialize } = method;
  return (client, start) => {
    const { metadata, options } = start;
    return answerOf(start, (done) =>
      client.makeUnaryRequest(path, toBuffer, responseDeserialize, request, metadata, options, done),
    );
  };
}

export interface StreamAnswer<Response> {
  readonly response: Response;
  /** Whether everything was sent before the response arrived; only then can the response be about all messages. */
  readonly everythingSent: boolean;
}

/** Sends messages in order on one stream. */
export function clientStream<Response>(
  method: Method<Response>,
  messages: readonly (Uint8Array | StoredMessage)[],
): Call<StreamAnswer<Response>> {
  const { path, responseDeserialize } = method;
  return (client, start, discard) =>
    answerOf(start, (done, fail) => {
      const { upload } = start;
      let ended = false;
      const stream = client.makeClientStreamRequest(
        path,
        toBuffer,
        responseDeserialize,
        start.metadata,
        start.options,
        (error, value) => {
          ended = true;
          // HTTP/2 keeps unsent data until the connection ends, unless the server resets the stream.
          if (!upload.isWhole) discard();
          done(error, value === undefined ? undefined : { response: value, everythingSent: upload.isWhole });
        },
      );
      // The callback gets every failure. Without a listener, Node would also throw the failure.
      stream.on("error", () => {});
      const writeFrom = (index: number): void => {
        // If the server responds early, pending writes never call back.
        if (ended || start.signal.aborted) return;
        const message = messages[index];
        upload.messages = index;
        if (message === undefined) {
          upload.isWhole = true;
          stream.end();
          return;
        }
        // Writes one message at a time, because grpc-js limits the number of buffered messages but not their size.
        const write = (bytes: Uint8Array) => {
          if (!ended && !start.signal.aborted) stream.write(bytes, () => writeFrom(index + 1));
        };
        if (message instanceof Uint8Array) write(message);
        else message.load().then(write, fail);
      };
      writeFrom(0);
      return stream;
    });
}

function answerOf<Response>(
  { answered, operation, signal, toError }: CallStart,
  call: (
    done: (error: ServiceError | null, value?: Response) => void,
    fail: (reason: unknown) => void,
  ) => ClientUnaryCall | ClientWritableStream<Uint8Array>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stopListening = () => {};
    let hasHeaders = false;
    const fail = (reason: unknown) => {
      reject(reason);
      started.cancel();
    };
    const started = call((error, value) => {
      stopListening();
      if (error !== null) reject(toError(failedCall(error, hasHeaders)));
      else if (value === undefined)
        reject(new SyncProtocolError(`${operation}: the service sent no answer.`));
      else resolve(value);
    }, fail);
    const readFrom = (metadata: Metadata) => answered((name) => metadata.get(name)[0]);
    started.on("metadata", (metadata) => {
      hasHeaders = true;
      readFrom(metadata);
    });
    // This event fires after the callback, but before the code that awaits the promise continues.
    started.on("status", ({ metadata = new Metadata() }: Partial<StatusObject>) => readFrom(metadata));
    stopListening = onAbort(signal, () => fail(signal.reason));
  });
}

/** If grpc-js doesn't know the response's compression, its error has none of the fields of a status. */
function failedCall(error: ServiceError, hasHeaders: boolean): FailedCall {
  const {
    code = status.UNKNOWN,
    details = UNKNOWN_COMPRESSION,
    metadata = new Metadata(),
  }: Partial<ServiceError> = error;
  const isAnswered = hasHeaders || Object.keys(metadata.getMap()).length > 0;
  return { code, details, metadata, isAnswered };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
