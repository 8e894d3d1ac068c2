import { stampText } from '../../platform/canary/stamp.ts';

/** The small chat that all clients send, and the bytes of its answers as gateways write them. */

export const smallChat = {
  model: 'weir/small',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello there' }],
} as const;
export const smallChatJson = JSON.stringify(smallChat);

/** The same in the words of a scenario. */
export const smallChatTraffic = {
  model: smallChat.model,
  prompt: smallChat.messages[0].content,
  maxTokens: smallChat.max_tokens,
} as const;

export const benchApiKey = 'sk-weir-test';
export const smallChatHeaders = {
  'user-agent': 'weir',
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: `Bearer ${benchApiKey}`,
} as const;

/** The bytes of a chat request with such a body, which must be ASCII, for clients without an HTTP library. */
export const rawRequest = (body: string, requestId = 'weir-bench-0-123456'): string => {
  const fields = { host: 'x', ...smallChatHeaders, 'x-request-id': requestId };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}content-length: ${body.length}\r\n\r\n${body}`;
};

const answerJson = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'weir/small',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'a weir is a low dam across a stream' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
});

/** The answer to a small chat, with the headers of a gateway. */
export const fixedAnswer = Buffer.from(`HTTP/1.1 200 OK\r
content-type: application/json\r
x-request-id: 0123456789abcdef\r
x-ratelimit-limit-requests: 60\r
x-ratelimit-remaining-requests: 59\r
date: Sat, 21 Nov 2026 09:00:00 GMT\r
content-length: ${answerJson.length}\r
\r
${answerJson}`);

const common =
  '"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1763715600,"model":"weir/small"';

/** An event of a streamed answer. */
export const eventText = (delta: string, finish: string): string =>
  `data: {${common},"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;

/** An event as one HTTP chunk. */
const chunked = (event: string): string => `${event.length.toString(16)}\r\n${event}\r\n`;

const zero = stampText([0, 0]);
const stampedToken = eventText(JSON.stringify({ content: `${zero} word` }), 'null');
const [before = '', after = ''] = chunked(stampedToken).split(zero);

/** An event with a token that carries a time of `process.hrtime()`. */
export const tokenText = (time: readonly [number, number]): string =>
  before + stampText(time) + after;

/** The head of a streamed answer and its first event, with the role. */
export const beginningText = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunked(eventText('{"role":"assistant"}', 'null'))}`;

/** The events after the last of `tokens` tokens, and the end of the body. */
export const endingText = (tokens: number): string => {
  const usage = `{"prompt_tokens":9,"completion_tokens":${tokens},"total_tokens":${tokens + 9}}`;
  const events = [
    eventText('{}', '"stop"'),
    `data: {${common},"choices":[],"usage":${usage}}\n\n`,
    'data: [DONE]\n\n',
  ];
  return `${events.map(chunked).join('')}0\r\n\r\n`;
};
