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
  /** Cancels the call; it rejects at once with the signal's reason. */
  readonly signal: AbortSignal;
  readonly answered: AttemptContext["answered"];
  readonly toError: (failed: FailedCall) => Error;
  readonly upload: Upload;
}

/** How far a call came. */
export interface Upload {
  /** Whether its stream was opened. */
  isSent: boolean;
  /** Number of messages that the connection took. */
  messages: number;
  isWhole: boolean;
  failure?: FailedCall;
}

/** One call, made on a client. `discard` says that the client's connection should not be used again. */
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
  /** Whether everything was sent before the answer came: only then can the answer be about all of it. */
  readonly everythingSent: boolean;
}

/** Messages, in order on one stream, and the message that answers them. */
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
          // HTTP/2 keeps what was not sent until the connection ends, if the server does not reset the stream.
          if (!upload.isWhole) discard();
          done(error, value === undefined ? undefined : { response: value, everythingSent: upload.isWhole });
        },
      );
      // Every failure comes to the callback; as an event without a listener it would be thrown beside it.
      stream.on("error", () => {});
      const writeFrom = (index: number): void => {
        // An answer may come before everything was sent, and then no callback of a write.
        if (ended || start.signal.aborted) return;
        const message = messages[index];
        upload.messages = index;
        if (message === undefined) {
          upload.isWhole = true;
          stream.end();
          return;
        }
        // One message is handed over at a time: grpc-js bounds the number of buffered messages, not their bytes.
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
    // Comes after the callback, but before the code that awaits the promise.
    started.on("status", ({ metadata = new Metadata() }: Partial<StatusObject>) => readFrom(metadata));
    stopListening = onAbort(signal, () => fail(signal.reason));
  });
}

/** If the answer has a compression that grpc-js does not know, its error has none of the fields of a status. */
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
