import { stampText } from '../../platform/canary/stamp.ts';

/** The bytes of a streamed chat as gateways write them: a chunk of HTTP for each event, and all but the text stays the same. */

const framed = (data: string): string => {
  const event = `data: ${data}\n\n`;
  return `${event.length.toString(16)}\r\n${event}\r\n`;
};

const common =
  '"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1763715600,"model":"weir/small"';

const event = (delta: string, finish: string): string =>
  framed(`{${common},"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`);

const zero = stampText([0, 0]);
const [before = '', after = ''] = event(JSON.stringify({ content: `${zero} word` }), 'null').split(
  zero,
);

/** An event with a token that says a moment of `process.hrtime()`. */
export const tokenText = (moment: readonly [number, number]): string =>
  before + stampText(moment) + after;

/** The head of the response and the event that names the role. */
export const beginningText = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${event('{"role":"assistant"}', 'null')}`;

/** The events behind the last of so many tokens, and the end of the body. */
export const endingText = (tokens: number): string => {
  const usage = `{"prompt_tokens":9,"completion_tokens":${tokens},"total_tokens":${tokens + 9}}`;
  return `${event('{}', '"stop"')}${framed(`{${common},"choices":[],"usage":${usage}}`)}${framed('[DONE]')}0\r\n\r\n`;
};
