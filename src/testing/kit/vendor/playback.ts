import type { IncomingMessage, ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { TestClock } from "../../../reference-server/test-clock.js";
import type { Exchange, RecordedRun } from "../cassette/cassette.js";
import { credentialsGranted, credentialsSent } from "../cassette/credentials.js";
import type { Injected } from "../faults/fault.js";
import { Matcher } from "./matching.js";
import type { OpenRun } from "./messages.js";
import {
  type ReceivedRequest,
  receive,
  recorded,
  recordedAnswer,
  sendAnswer,
  type VendorAnswer,
  type VendorRequest,
} from "./messages.js";

/** A request of a run, and its answer. */
export interface PlayedRequest extends VendorRequest {
  readonly answer: VendorAnswer;
  /** Whether the answer differs from the recorded one. */
  readonly injected: boolean;
}

export interface PlaybackOptions {
  readonly recording: RecordedRun;
  readonly injected?: Injected | undefined;
  /** Delays use this clock. */
  readonly clock: Pick<TestClock, "sleep">;
}

/** Plays a recording. */
export class Playback {
  /** In order of arrival. */
  readonly requests: PlayedRequest[] = [];
  /** The watermarks that the connector received. */
  readonly watermarks = new Set<string>();
  /** How many answers are being delayed on purpose. */
  held = 0;
  readonly #options: PlaybackOptions;
  readonly #run: ReturnType<OpenRun>;
  readonly #recording: Matcher;
  readonly #played: Matcher;
  readonly #credentials = new Set<string>();
  readonly #ended = new AbortController();
  #open = 0;

  constructor(options: PlaybackOptions, open: OpenRun) {
    const { recording, injected } = options;
    const { exchanges } = recording;
    this.#options = options;
    this.#recording = new Matcher(recording, exchanges, this.watermarks);
    this.#played = new Matcher(recording, injected?.exchanges ?? exchanges, this.watermarks);
    this.#run = open((request, response) => this.#handle(request, response));
  }

  get route() {
    return this.#run.route;
  }

  /** How many answers differ from the recorded ones. */
  get fired(): number {
    return this.requests.filter(({ injected }) => injected).length;
  }

  /** The credentials that the connector sent or was granted. */
  get credentials(): readonly string[] {
    return [...this.#credentials];
  }

  /** How many requests have no complete answer yet, not counting delayed ones. */
  get busy(): number {
    return this.#open - this.held;
  }

  /** Closes waiting connections and accepts no more requests. */
  end(): void {
    this.#run.end();
    this.#ended.abort();
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#open += 1;
    const gone = new AbortController();
    response.once("close", () => {
      this.#open -= 1;
      gone.abort();
    });
    const answer = this.#answer(await receive(message));
    const signal = AbortSignal.any([gone.signal, this.#ended.signal]);
    if (answer.delayMs !== undefined && answer.delayMs > 0) await this.#hold(answer.delayMs, signal);
    if (this.#ended.signal.aborted) response.destroy();
    else await sendAnswer(response, answer);
  }

  #answer(received: ReceivedRequest): VendorAnswer {
    const asked = recorded(received);
    const match = this.#played.next(asked);
    const untouched = this.#recording.next(asked)?.exchange;
    const number = this.requests.length + 1;
    const request = { ...received, number, repeat: match?.repeat ?? 0, exchange: match?.index };
    const planned = answerOf(match?.exchange);
    const answer = this.#options.injected?.answer?.(planned, request) ?? planned;
    // An exchange that the fault didn't change is the same object.
    const isPlain = answer === planned && match?.exchange === untouched;
    const injected = !isPlain && !isEqual(answer, answerOf(untouched));
    this.requests.push({ ...request, answer, injected });
    if (answer.shown !== undefined) this.#credentials.add(answer.shown);
    for (const credential of credentialsSent(asked)) this.#credentials.add(credential);
    if (match !== undefined)
      for (const credential of credentialsGranted(match.exchange.response)) this.#credentials.add(credential);
    return answer;
  }

  async #hold(ms: number, signal: AbortSignal): Promise<void> {
    this.held += 1;
    try {
      await this.#options.clock.sleep(ms, signal);
    } catch {
      // The client disconnected, or the run ended.
    } finally {
      this.held -= 1;
    }
  }
}

const UNMATCHED: VendorAnswer = {
  status: 404,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ error: "The recording has no answer to this request." })),
};

function answerOf(exchange: Exchange | undefined): VendorAnswer {
  return exchange === undefined ? UNMATCHED : recordedAnswer(exchange);
}

function isEqual(a: VendorAnswer, b: VendorAnswer): boolean {
  const plain = ({ delayMs = 0, cutAfter, ...answer }: VendorAnswer) => ({ ...answer, delayMs, cutAfter });
  return isDeepStrictEqual(plain(a), plain(b));
}
