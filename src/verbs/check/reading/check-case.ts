import type { CheckTopic } from '../model/check-choices.ts';
import type { CheckOutcome, TokenBounds } from '../model/check-report.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { Clip } from '../../../model/workload/clip.ts';
import type { Price } from '../../../model/workload/price.ts';
import type { TokenCounter } from '../../../model/workload/tokenizer.ts';
import type { CheckAnswer } from './check-answer.ts';
import type { HangUpFacts } from './hang-up-facts.ts';

export interface CheckTarget {
  readonly chat: string | null;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly voice: string;
  readonly listed: readonly string[];
  /** The recording whose transcripts are compared, with its text and its length. */
  readonly clip: Clip;
  readonly otherClips: readonly Clip[];
  /** The family of rate-limit headers that the user named; absent for the documented `x-ratelimit-api_key-*`. */
  readonly headerFamily?: string | undefined;
  /** The present Unix time in seconds. */
  readonly now: number;
  /** The tokenizer of the chat model, if it is known. */
  readonly tokenizer?: TokenCounter;
  /** The price of the chat model; absent if the scenario has no price. */
  readonly price?: Price;
  /** The chat model's name at its address without the gateway. */
  readonly directChat?: string;
}

export interface RequestCost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly characters: number;
  readonly audioSeconds: number;
}

export const free: RequestCost = {
  inputTokens: 0,
  outputTokens: 0,
  characters: 0,
  audioSeconds: 0,
};

export interface CheckRequest {
  readonly id: string;
  readonly key: 'valid' | 'unknown' | 'missing';
  /** Where the request goes. `direct` is the address of the model without the gateway. */
  readonly base: 'versioned' | 'root' | 'direct';
  /** The cost if the gateway behaves as specified. Requests that the gateway must refuse cost nothing. */
  readonly cost: RequestCost;
  /** Whether the request is sent alone. Such requests come first; all others are sent a few at a time. */
  readonly isSerial: boolean;
  /**
   * The id of another request. This request is sent only if the other request was refused; `null` if this request is
   * always sent.
   */
  readonly onlyIfRefused: string | null;
  readonly isStream: boolean;
  /** Builds the request; returns `null` if the target lacks the model that the request needs. */
  readonly build: (target: CheckTarget) => WireRequest | null;
}

/** The result of a check, before it is put into the report. */
export interface Judged {
  readonly outcome: CheckOutcome;
  readonly observed: string;
  /** The name of the known deviation; absent if the result is not a known deviation. */
  readonly name?: string;
  readonly evidence?: readonly string[];
  readonly bounds?: TokenBounds;
}

export const pass = (observed: string): Judged => ({ outcome: 'pass', observed });
export const violation = (observed: string, evidence: readonly string[] = []): Judged => ({
  outcome: 'violation',
  observed,
  evidence,
});
export const deviation = (name: string, observed: string): Judged => ({
  outcome: 'deviation',
  name,
  observed,
});
export const open = (observed: string): Judged => ({ outcome: 'open', observed });
export const unchecked = (observed: string): Judged => ({ outcome: 'unchecked', observed });

export interface Answers {
  readonly target: CheckTarget;
  /** Returns the answer to a request; `null` if the request was not sent. */
  of(requestId: string): CheckAnswer | null;
  /** The answers with status 429 that came during the checks. */
  readonly limited: readonly CheckAnswer[];
  readonly repeated: readonly CheckAnswer[];
  /** The observations after hang-ups; absent if the client did not hang up. */
  readonly hangUps?: HangUpFacts | undefined;
  /** All answers, in the order of the table of requests. */
  readonly all: readonly CheckAnswer[];
}

/** One check: the required content of an answer, and the rows of the specification that require it. */
export interface Check {
  readonly id: string;
  readonly topic: CheckTopic;
  /** The ids of the check's rows in `interfaceRows`. The report quotes the first row. */
  readonly rows: readonly string[];
  readonly expected: string;
  /** The ids of requests that must have been answered as expected. Without these answers, the check is undecided. */
  readonly needs: readonly string[];
  /** Further requests whose answers the check reads. */
  readonly uses: readonly string[];
  /** Whether this check decides if the request with the same id was answered as expected. */
  readonly isGate: boolean;
  readonly judge: (answers: Answers) => Judged;
}

/** A request, and the check that decides whether it was answered as expected. */
export interface CheckCase {
  readonly request: CheckRequest;
  readonly check: Check;
}

const modelKinds = ['chat', 'speech', 'transcription'] as const;

/**
 * Returns the reason why a request was not sent: the target has no model for the request, or the checks ended early.
 */
const whyUnsent = (build: CheckRequest['build'], target: CheckTarget): string => {
  const missing = modelKinds.find(
    (kind) => target[kind] === null && build({ ...target, [kind]: 'model' }) !== null,
  );
  if (missing === undefined) return 'the request was not sent';
  const option = missing === 'chat' ? '--model' : `--${missing}-model`;
  return `no model for ${missing} is known (${option} names one)`;
};

/** Wraps a judge of answers: the check is undecided if a shortened deadline ended the answer. */
export const unlessCutShort =
  (judge: (answer: CheckAnswer) => Judged) =>
  (answer: CheckAnswer): Judged =>
    answer.received.isCutShort === true
      ? unchecked(`${answer.summary}, less than usual since answers before took too long`)
      : judge(answer);

type CaseParts = Pick<Check, 'rows' | 'expected'> &
  Pick<CheckRequest, 'id' | 'build'> &
  Partial<Omit<CheckRequest, 'cost'>> & { readonly cost?: Partial<RequestCost> };

/** Returns functions that make the requests and checks of one topic. */
export const checksOf = (topic: CheckTopic) => ({
  /** Creates a request, and a check that reads only the answer to this request. */
  caseOf: (
    { id, rows, expected, build, cost, ...parts }: CaseParts,
    judge: (answer: CheckAnswer) => Judged,
  ): CheckCase => ({
    request: {
      id,
      key: 'valid',
      base: 'versioned',
      isSerial: false,
      onlyIfRefused: null,
      isStream: false,
      ...parts,
      cost: { ...free, ...cost },
      build,
    },
    check: {
      id,
      topic,
      rows,
      expected,
      needs: [],
      uses: [id],
      isGate: true,
      judge: (answers) => {
        const answer = answers.of(id);
        if (answer === null) return unchecked(whyUnsent(build, answers.target));
        return unlessCutShort(judge)(answer);
      },
    },
  }),
  /**
   * Creates a check of an answer that came as expected. By default, the request's id is the part of `id` before the
   * dot.
   */
  checkOf: (
    id: string,
    rows: readonly string[],
    expected: string,
    judge: (answer: CheckAnswer, target: CheckTarget) => Judged,
    request = id.slice(0, id.indexOf('.')),
  ): Check => ({
    id,
    topic,
    rows,
    expected,
    needs: [request],
    uses: [],
    isGate: false,
    judge: (answers) => judge(answers.of(request)!, answers.target),
  }),
  checkAcross: (
    id: string,
    rows: readonly string[],
    expected: string,
    judge: Check['judge'],
    reads: Partial<Pick<Check, 'needs' | 'uses'>> = {},
  ): Check => ({ id, topic, rows, expected, needs: [], uses: [], isGate: false, ...reads, judge }),
});
