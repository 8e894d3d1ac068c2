import type { CheckTopic } from '../model/check-choices.ts';
import type { CheckOutcome } from '../model/check-report.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { Clip } from '../../../model/workload/clip.ts';
import type { CheckAnswer } from './check-answer.ts';

export interface CheckTarget {
  readonly chat: string | null;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly voice: string;
  /** The ids of the model list. */
  readonly listed: readonly string[];
  /** The recording whose transcripts are compared, with its text and its length. */
  readonly clip: Clip;
  /** Recordings in other containers. */
  readonly otherClips: readonly Clip[];
  /** Unix time in seconds. */
  readonly now: number;
}

/** The most that a request can cost if the target accepts it. */
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
  /** Below the base address, or below the address without its version. */
  readonly base: 'versioned' | 'root';
  /** What it costs if all goes well: requests that the target has to refuse cost nothing. */
  readonly cost: RequestCost;
  /** Before all others, one after the other; or with others. */
  readonly isSerial: boolean;
  /** Only if the request of this id was refused. */
  readonly onlyIfRefused: string | null;
  readonly isStream: boolean;
  /** `null` if the target does not offer it. */
  readonly build: (target: CheckTarget) => WireRequest | null;
}

/** The result of a check before it is reported. */
export interface Judged {
  readonly outcome: CheckOutcome;
  readonly observed: string;
  /** The name of a known deviation. */
  readonly name?: string;
  readonly evidence?: readonly string[];
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
  /** The answer to a request; `null` if it was not sent. */
  of(requestId: string): CheckAnswer | null;
  /** Answers with 429 that were met on the way. */
  readonly limited: readonly CheckAnswer[];
  /** Failed attempts that were repeated. */
  readonly repeated: readonly CheckAnswer[];
  /** All answers, in the order of the table. */
  readonly all: readonly CheckAnswer[];
}

/** One row of the table: what must come, by which part of the specification. */
export interface Check {
  readonly id: string;
  readonly topic: CheckTopic;
  /** Ids of `interfaceRows`; the first is quoted. */
  readonly rows: readonly string[];
  readonly expected: string;
  /** Requests that must have been answered as wanted: else the check is not decided. */
  readonly needs: readonly string[];
  /** Further requests whose answers the check reads. */
  readonly uses: readonly string[];
  /** Whether it says if the request of its id was answered as wanted. */
  readonly isGate: boolean;
  readonly judge: (answers: Answers) => Judged;
}

/** A request, and the check that says whether it was answered as wanted. */
export interface CheckCase {
  readonly request: CheckRequest;
  readonly check: Check;
}

const modelKinds = ['chat', 'speech', 'transcription'] as const;

/** Why a request was not sent: the run ended before, or the target has no model for it. */
const whyUnsent = (build: CheckRequest['build'], target: CheckTarget): string => {
  const missing = modelKinds.find(
    (kind) => target[kind] === null && build({ ...target, [kind]: 'model' }) !== null,
  );
  if (missing === undefined) return 'the request was not sent';
  const option = missing === 'chat' ? '--model' : `--${missing}-model`;
  return `no model for ${missing} is known (${option} names one)`;
};

/** Judges an answer that no shortened deadline has ended. */
export const unlessCutShort =
  (judge: (answer: CheckAnswer) => Judged) =>
  (answer: CheckAnswer): Judged =>
    answer.received.isCutShort === true
      ? unchecked(`${answer.summary}, less than usual since answers before took too long`)
      : judge(answer);

type CaseParts = Pick<Check, 'rows' | 'expected'> &
  Pick<CheckRequest, 'id' | 'build'> &
  Partial<Omit<CheckRequest, 'cost'>> & { readonly cost?: Partial<RequestCost> };

/** Makes the requests and checks of one topic. */
export const checksOf = (topic: CheckTopic) => ({
  /** A request with a check that judges its answer alone. */
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
  /** A check of an answer that was as wanted; its id begins with that of the request, unless another is named. */
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
  /** A check that looks at several answers. */
  checkAcross: (
    id: string,
    rows: readonly string[],
    expected: string,
    judge: Check['judge'],
    reads: Partial<Pick<Check, 'needs' | 'uses'>> = {},
  ): Check => ({ id, topic, rows, expected, needs: [], uses: [], isGate: false, ...reads, judge }),
});
