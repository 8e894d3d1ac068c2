import type { Draw } from '../model/draw.ts';
import type { AnswerNote, Outcome } from '../model/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import type { TrafficKind } from '../model/traffic.ts';
import { streamPrice } from './reported-plan.ts';

/** Test support: what the exchanges behind `sampleResult` came to. */

/** What a hostile server would like a report to run, on a screen or in a page. */
export const hostileText =
  '</script><img src=x onerror=alert(1)>\u001b[2J\u202e"quoted" & \'single\' <b>bold</b>';

/** An outcome and when its exchange ended. */
export interface End {
  readonly outcome: Outcome;
  readonly ended: number;
}

export const exponential = (draw: Draw, mean: number): number =>
  -mean * Math.log(1 - draw.uniform());

const sometimes = (draw: Draw, chance: number, note: AnswerNote): readonly AnswerNote[] =>
  draw.uniform() < chance ? [note] : [];

/** A stream of 24 to 55 token events; `load` from 0 to 1 slows it down. */
const stream = (draw: Draw, sent: number, load: number): End => {
  const first = sent + 140 + exponential(draw, 40 + 260 * load) + (draw.uniform() < 0.02 ? 900 : 0);
  const count = 24 + Math.floor(draw.uniform() * 32);
  const instants = new Float64Array(count);
  let at = first;
  for (let i = 0; i < count; i += 1) {
    instants[i] = at;
    at += 9 + exponential(draw, 4 + 5 * load) + (draw.uniform() < 0.004 ? 180 : 0);
  }
  const last = instants[count - 1]!;
  const tokens = { input: 48, output: count + 2, source: 'usage' } as const;
  const cost = (tokens.input * streamPrice.input + tokens.output * streamPrice.output) / 1e6;
  const answer = {
    kind: 'chat-stream' as const,
    firstByte: instant(first - 8),
    firstEvent: instant(first - 6),
    firstToken: instant(first),
    firstVisible: instant(first),
    lastToken: instant(last),
    tokenInstants: instants,
    commentInstants: new Float64Array(0),
    coalesced: draw.uniform() < 0.05 ? 1 : 0,
    tokens,
    firstChunkTokens: null,
    finish: 'stop',
    buffered: draw.uniform() < 0.003,
    notes: sometimes(draw, 0.02, 'no-done'),
    cost: Math.round(cost),
  };
  return { outcome: { kind: 'completed', answer }, ended: last + 1 };
};

const chat = (draw: Draw, sent: number): End => {
  const output = 30 + Math.floor(draw.uniform() * 20);
  const answer = {
    kind: 'chat' as const,
    firstByte: instant(sent + 400),
    tokens: { input: 48, output, source: 'usage' as const },
    finish: 'stop',
    notes: [],
    cost: null,
  };
  return {
    outcome: { kind: 'completed', answer },
    ended: sent + 500 + exponential(draw, 220),
  };
};

const speech = (draw: Draw, sent: number): End => {
  const characters = 30 + Math.floor(draw.uniform() * 170);
  const audioSeconds = Number((characters / 14.5).toFixed(3));
  const firstAudio = sent + 90 + exponential(draw, 60);
  const ended = firstAudio + audioSeconds * (35 + 30 * draw.uniform());
  const answer = {
    kind: 'speech' as const,
    firstByte: instant(firstAudio - 2),
    firstAudio: instant(firstAudio),
    bytes: Math.round(audioSeconds * 16_000),
    audioSeconds,
    characters,
    notes: sometimes(draw, 0.3, 'mislabelled'),
    cost: characters * 15,
  };
  return { outcome: { kind: 'completed', answer }, ended };
};

const transcription = (draw: Draw, sent: number): End => {
  const seconds = 4 + 8 * draw.uniform();
  const isKnown = draw.uniform() < 0.7;
  const words = { wrong: Math.floor(draw.uniform() * 2.4), expected: Math.round(seconds * 2.4) };
  const answer = {
    kind: 'transcription' as const,
    firstByte: instant(sent + 200),
    audioSeconds: isKnown ? seconds : null,
    words: isKnown ? words : null,
    notes: sometimes(draw, 0.2, 'no-segments'),
    cost: isKnown ? Math.round(seconds * 100) : null,
  };
  return {
    outcome: { kind: 'completed', answer },
    ended: sent + 200 + seconds * (60 + 40 * draw.uniform()),
  };
};

const models = (draw: Draw, sent: number): End => ({
  outcome: {
    kind: 'completed',
    answer: { kind: 'models', firstByte: instant(sent + 4), models: 17, notes: [] },
  },
  ended: sent + 5 + exponential(draw, 3),
});

/** A completed exchange of each kind. */
export const completedExchange = {
  chat,
  'chat-stream': stream,
  speech,
  transcription,
  models,
} as const satisfies Record<TrafficKind, (draw: Draw, sent: number, load: number) => End>;

const refusal = (status: number, code: string, message: string) => ({
  status,
  form: 'error' as const,
  type: null,
  code,
  message,
});

const malformed = (kind: TrafficKind, index: number): Outcome =>
  kind === 'speech'
    ? {
        kind: 'malformed',
        issue: 'audio-truncated',
        detail: `the MP3 file ends ${index} bytes early`,
        partial: null,
      }
    : {
        kind: 'malformed',
        issue: 'stream-error',
        detail: `an error event after ${index % 40} tokens: CUDA out of memory`,
        partial: null,
      };

/** One failure in seventy: `null` for all other exchanges. */
export const failing = (draw: Draw, kind: TrafficKind, index: number): Outcome | null => {
  const chance = draw.uniform();
  if (chance < 0.006) {
    return {
      kind: 'refused',
      refusal: refusal(500, 'server_error', `worker ${index} failed: ${hostileText}`),
    };
  }
  if (chance < 0.011 || (kind === 'speech' && chance < 0.06)) return malformed(kind, index);
  if (chance < 0.014) {
    return { kind: 'broken', cause: 'reset', detail: 'the connection was reset', partial: null };
  }
  return null;
};

export const limited: Outcome = {
  kind: 'limited',
  refusal: refusal(
    429,
    'rate_limit_exceeded',
    'Rate limit exceeded for api_key: 3fa85f. Limit type: requests. Current limit: 600, Remaining: 0.',
  ),
  unit: 'requests',
  retryAfter: milliseconds(60_000),
  resetIn: null,
};
