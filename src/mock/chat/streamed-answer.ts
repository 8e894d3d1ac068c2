import type { EventStream, MockExchange } from '../http/mock-exchange.ts';
import type { TokenDueTimes, TokenSink } from '../serving/token-schedule.ts';
import type { MockCounters } from '../counters/mock-counters.ts';
import type { RequestTrace } from '../http/request-trace.ts';
import { streamEnd, type Usage } from '../../contract/chat.ts';
import { createdAt } from '../http/model-list.ts';
import type { Completion } from './completion.ts';
import { tokenLogprob } from './tokens.ts';

/** The placeholder for a token's text. JSON text never contains this character. */
const placeholder = '\0';

/**
 * Returns the deltas of a stream. `opening` are the deltas before the first token, which begin with the role. `token`
 * is the delta of a token, with the placeholder for the text of the token. The tokens are parts of the content or, if
 * the answer is a call, parts of the arguments (as in the OpenAI API).
 */
const deltasOf = (call: Completion['toolCall']) => {
  const role = 'assistant';
  if (call === null) return { opening: [{ role, content: '' }], token: { content: placeholder } };
  const begun = { name: call.name, arguments: '' };
  const toolCall = { index: 0, id: call.id, type: 'function', function: begun };
  return {
    opening: [{ role, content: null }, { tool_calls: [toolCall] }],
    token: { tool_calls: [{ index: 0, function: { arguments: placeholder } }] },
  };
};

/** The parts that all events of one choice contain. */
interface ChunkParts {
  readonly id: string;
  readonly model: string;
  readonly index: number;
  readonly call: Completion['toolCall'];
  readonly withUsage: boolean;
  /**
   * The number of likely tokens that are listed with each token; `null` if no probabilities are requested, or if the
   * answer is a call.
   */
  readonly topLogprobs: number | null;
}

/**
 * Writes the events of one choice of a stream (interface 2.5, 4.1). The common text of all events is built only once.
 */
export class ChunkFrames {
  /** The events before the first token: the role, and the function of a call. */
  readonly opening: string;
  readonly #head: string;
  readonly #tail: string;
  readonly #before: string;
  readonly #after: string;
  readonly #index: number;
  readonly #withUsage: boolean;
  readonly #topLogprobs: number | null;

  constructor({ id, model, index, call, withUsage, topLogprobs }: ChunkParts) {
    this.#head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${createdAt},"model":${JSON.stringify(model)},"choices":[`;
    this.#tail = withUsage ? `],"usage":null}\n\n` : `]}\n\n`;
    this.#index = index;
    this.#withUsage = withUsage;
    this.#topLogprobs = call === null ? topLogprobs : null;
    const deltas = deltasOf(call);
    this.opening = deltas.opening.map((delta) => this.#choice(delta, null)).join('');
    const [before = '', after = ''] = this.#choice(deltas.token, null).split(
      JSON.stringify(placeholder),
    );
    this.#before = before;
    this.#after = after;
  }

  token(text: string): string {
    if (this.#topLogprobs === null) return this.#before + JSON.stringify(text) + this.#after;
    const logprobs = { content: [tokenLogprob(text, this.#topLogprobs)], refusal: null };
    return this.#choice({ content: text }, null, `"logprobs":${JSON.stringify(logprobs)},`);
  }

  finish(reason: string): string {
    return this.#choice({}, reason);
  }

  /** Returns the last events of a stream: the usage if the request asks for it, and `[DONE]`. */
  end(usage: Usage): string {
    const usageEvent = this.#withUsage
      ? `${this.#head}],"usage":${JSON.stringify(usage)}}\n\n`
      : '';
    return `${usageEvent}data: ${streamEnd}\n\n`;
  }

  #choice(delta: unknown, finish: string | null, logprobs = ''): string {
    return `${this.#head}{"index":${this.#index},"delta":${JSON.stringify(delta)},${logprobs}"finish_reason":${JSON.stringify(finish)}}${this.#tail}`;
  }
}

interface StreamParts {
  readonly exchange: MockExchange;
  readonly choices: readonly { readonly completion: Completion; readonly frames: ChunkFrames }[];
  readonly stream: EventStream;
}

/** Streams a chat. At each step, every open choice writes one token. All state is in one object (see `Recurring`). */
export class StreamedAnswer implements TokenSink {
  readonly #choices: StreamParts['choices'];
  readonly #steps: number;
  readonly #stream: EventStream;
  readonly #trace: RequestTrace | null;
  readonly #tokenCounters: MockCounters['tokens'];
  readonly #complete: () => string;
  #sent = 0;

  /** `complete` is called after the last token and returns the events that end the answer. */
  constructor({ exchange, choices, stream }: StreamParts, complete: () => string) {
    this.#choices = choices;
    this.#steps = Math.max(...choices.map(({ completion: { tokens } }) => tokens.length));
    this.#stream = stream;
    this.#trace = exchange.trace;
    this.#tokenCounters = exchange.counters.tokens;
    this.#complete = complete;
  }

  get sent(): number {
    return this.#sent;
  }

  emit(from: number, to: number, at: TokenDueTimes): void {
    let events = '';
    if (from === 0) {
      this.#trace?.setFields({ prefillEnd: at.dueOf(0) });
      for (const { frames } of this.#choices) events += frames.opening;
    }
    const sentBefore = this.#sent;
    const last = Math.max(Math.min(to, this.#steps), 1);
    for (let step = from; step < last; step += 1) events += this.#eventsOf(step, at);
    this.#tokenCounters.output += this.#sent - sentBefore;
    const isLast = to >= this.#steps;
    this.#stream.write(isLast ? events + this.#complete() : events);
    this.#trace?.recordWrite();
    if (isLast) this.#stream.end();
  }

  #eventsOf(step: number, at: TokenDueTimes): string {
    let events = '';
    for (const { completion, frames } of this.#choices) {
      const { tokens, finish } = completion;
      if (step < tokens.length) {
        events += frames.token(tokens[step]!);
        this.#trace?.recordToken(at.dueOf(step));
        this.#sent += 1;
      }
      if (step === Math.max(tokens.length, 1) - 1) events += frames.finish(finish);
    }
    return events;
  }
}
