import { streamEnd, type Usage } from '../contract/chat.ts';
import { created } from './catalogue.ts';

/** The events of one stream as text, each with the blank line that ends it (interface 2.5, 4.1). */
export interface ChunkFrames {
  /** The first event: the role and no content. */
  readonly role: string;
  token(text: string): string;
  /** The last events: the reason for the end, the usage where it was asked for, and `[DONE]`. */
  end(finish: string, usage: Usage): string;
}

/** Everything that is the same in each chunk of a stream is framed once. */
export const chunkFrames = (id: string, model: string, withUsage: boolean): ChunkFrames => {
  const head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},"choices":[`;
  const tail = withUsage ? `],"usage":null}\n\n` : `]}\n\n`;
  const choice = (delta: string, finish: string): string =>
    `${head}{"index":0,"delta":${delta},"finish_reason":${finish}}${tail}`;
  const [before = '', after = ''] = choice('{"content":\0}', 'null').split('\0');
  const usageFrame = (usage: Usage): string =>
    withUsage ? `${head}],"usage":${JSON.stringify(usage)}}\n\n` : '';
  return {
    role: choice('{"role":"assistant","content":""}', 'null'),
    token: (text) => before + JSON.stringify(text) + after,
    end: (finish, usage) =>
      `${choice('{}', JSON.stringify(finish))}${usageFrame(usage)}data: ${streamEnd}\n\n`,
  };
};
