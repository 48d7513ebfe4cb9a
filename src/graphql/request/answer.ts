import type { GraphQLErrorEntry } from "../../core/errors/index.js";
import type { Failures, ResponseHead } from "./failures.js";

/** A GraphQL response. */
export interface GraphQLAnswer<Data> extends ResponseHead {
  /** Null where there is none, and beside an HTTP status that is no success. */
  readonly data: Data | null;
  /** Entries of `errors`, at most 1,000; empty where there are none. */
  readonly errors: readonly GraphQLErrorEntry[];
}

/** Takes what the caller wants from an answer, or throws what is wrong with it. */
export type AnswerReader<Data, Result> = (answer: GraphQLAnswer<Data>, failures: Failures) => Result;

/** The data alone; any entry in `errors` is a failure. */
export function readData<Data>(answer: GraphQLAnswer<Data>, failures: Failures): Data {
  if (answer.errors.length > 0) throw failures.responseErrors(answer);
  if (answer.data === null) throw failures.noResponse(answer);
  return answer.data;
}

/** The whole answer. */
export function readAnswer<Data>(answer: GraphQLAnswer<Data>, failures: Failures): GraphQLAnswer<Data> {
  if (answer.errors.length === 0 && answer.data === null) throw failures.noResponse(answer);
  return answer;
}
