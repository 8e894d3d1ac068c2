import type { EventStream } from '../http/event-stream.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import type { TokenDueTimes, TokenSink } from '../serving/token-schedule.ts';
import type { MockCounters } from '../counters/mock-counters.ts';
import type { RequestTrace } from '../http/request-trace.ts';
import { streamEnd, type Usage } from '../../contract/chat.ts';
import { createdAt } from '../http/model-list.ts';
import type { Completion } from './completion.ts';

/** Marks the place of a token's text; JSON text never contains it. */
const placeholder = '\0';

/** The deltas of a stream: the role, then content or, as in the OpenAI API, the arguments of a call. */
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

/** The events of one stream (interface 2.5, 4.1); text that each chunk repeats is built once. */
export class ChunkFrames {
  /** The events before the first token: the role, and the function of a call. */
  readonly opening: string;
  readonly #head: string;
  readonly #tail: string;
  readonly #before: string;
  readonly #after: string;
  readonly #withUsage: boolean;

  constructor(id: string, model: string, call: Completion['toolCall'], withUsage: boolean) {
    this.#head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${createdAt},"model":${JSON.stringify(model)},"choices":[`;
    this.#tail = withUsage ? `],"usage":null}\n\n` : `]}\n\n`;
    this.#withUsage = withUsage;
    const deltas = deltasOf(call);
    this.opening = deltas.opening.map((delta) => this.#choice(delta, null)).join('');
    const [before = '', after = ''] = this.#choice(deltas.token, null).split(
      JSON.stringify(placeholder),
    );
    this.#before = before;
    this.#after = after;
  }

  token(text: string): string {
    return this.#before + JSON.stringify(text) + this.#after;
  }

  /** The last events: the finish reason, the usage if requested, and `[DONE]`. */
  end(finish: string, usage: Usage): string {
    const usageEvent = this.#withUsage
      ? `${this.#head}],"usage":${JSON.stringify(usage)}}\n\n`
      : '';
    return `${this.#choice({}, finish)}${usageEvent}data: ${streamEnd}\n\n`;
  }

  #choice(delta: unknown, finish: string | null): string {
    return `${this.#head}{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}${this.#tail}`;
  }
}

interface StreamParts {
  readonly exchange: MockExchange;
  readonly tokens: readonly string[];
  readonly frames: ChunkFrames;
  readonly stream: EventStream;
}

/**
 * Streams a chat token by token, the role with the first token, the end with the last. Everything that a token needs
 * is in this one object, for the reason in `Recurring`.
 */
export class StreamedAnswer implements TokenSink {
  readonly #tokens: readonly string[];
  readonly #frames: ChunkFrames;
  readonly #stream: EventStream;
  readonly #trace: RequestTrace | null;
  readonly #tokenCounters: MockCounters['tokens'];
  readonly #complete: () => string;
  #sent = 0;

  /** `complete` is called after the last token and returns the events that end the answer. */
  constructor({ exchange, tokens, frames, stream }: StreamParts, complete: () => string) {
    this.#tokens = tokens;
    this.#frames = frames;
    this.#stream = stream;
    this.#trace = exchange.trace;
    this.#tokenCounters = exchange.counters.tokens;
    this.#complete = complete;
  }

  get sent(): number {
    return this.#sent;
  }

  emit(from: number, to: number, at: TokenDueTimes): void {
    const tokens = this.#tokens;
    let events = '';
    if (from === 0) {
      this.#trace?.setFields({ prefillEnd: at.dueOf(0) });
      events = this.#frames.opening;
    }
    this.#sent = Math.min(to, tokens.length);
    for (let step = from; step < this.#sent; step += 1) {
      events += this.#frames.token(tokens[step]!);
      this.#trace?.recordToken(at.dueOf(step));
    }
    this.#tokenCounters.output += this.#sent - from;
    if (to < tokens.length) {
      this.#stream.write(events);
      return;
    }
    this.#stream.write(events + this.#complete());
    this.#stream.end();
  }
}
