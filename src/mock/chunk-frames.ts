import { streamEnd, type Usage } from '../contract/chat.ts';
import { created } from './catalogue.ts';
import type { Completion } from './completion.ts';

/** The events of one stream as text, each with the blank line that ends it (interface 2.5, 4.1). */
export interface ChunkFrames {
  /** What comes before the first token: the role, and of a call its function. */
  readonly opening: string;
  token(text: string): string;
  /** The last events: the reason for the end, the usage where it was asked for, and `[DONE]`. */
  end(finish: string, usage: Usage): string;
}

/** Stands where a token's text comes; no JSON text holds it. */
const hole = '\0';

/** What a stream says of its role and of each token: of content, and of a call's arguments as the OpenAI API has it. */
const deltasOf = (call: Completion['call']) =>
  call === null
    ? { opening: [{ role: 'assistant', content: '' }], token: { content: hole } }
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
        token: { tool_calls: [{ index: 0, function: { arguments: hole } }] },
      };

/** Everything that is the same in each chunk of a stream is framed once. */
export const chunkFrames = (
  id: string,
  model: string,
  call: Completion['call'],
  withUsage: boolean,
): ChunkFrames => {
  const head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},"choices":[`;
  const tail = withUsage ? `],"usage":null}\n\n` : `]}\n\n`;
  const choice = (delta: unknown, finish: string | null): string =>
    `${head}{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}${tail}`;
  const deltas = deltasOf(call);
  const [before = '', after = ''] = choice(deltas.token, null).split(JSON.stringify(hole));
  const usageFrame = (usage: Usage): string =>
    withUsage ? `${head}],"usage":${JSON.stringify(usage)}}\n\n` : '';
  return {
    opening: deltas.opening.map((delta) => choice(delta, null)).join(''),
    token: (text) => before + JSON.stringify(text) + after,
    end: (finish, usage) => `${choice({}, finish)}${usageFrame(usage)}data: ${streamEnd}\n\n`,
  };
};
