import { streamEnd, type Usage } from '../../contract/chat.ts';
import { createdAt } from '../http/model-list.ts';
import type { Completion } from './completion.ts';

/** Stands where a token's text comes; no JSON text holds it. */
const placeholder = '\0';

/** What a stream says of its role and of each token: of content, and of a call's arguments as the OpenAI API has it. */
const deltasOf = (call: Completion['toolCall']) =>
  call === null
    ? { opening: [{ role: 'assistant', content: '' }], token: { content: placeholder } }
    : {
        opening: [
          { role: 'assistant', content: null },
          {
            tool_calls: [
              {
                index: 0,
                id: call.id,
                type: 'function',
                function: { name: call.name, arguments: '' },
              },
            ],
          },
        ],
        token: { tool_calls: [{ index: 0, function: { arguments: placeholder } }] },
      };

/**
 * The events of one stream as text, each with the blank line that ends it (interface 2.5, 4.1). Everything that is
 * the same in each chunk is framed once.
 */
export class ChunkFrames {
  /** What comes before the first token: the role, and of a call its function. */
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

  /** The last events: the reason for the end, the usage where it was asked for, and `[DONE]`. */
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
