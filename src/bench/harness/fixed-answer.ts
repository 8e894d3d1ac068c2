const content = JSON.stringify({
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
const head = [
  'HTTP/1.1 200 OK',
  'content-type: application/json',
  'x-request-id: 0123456789abcdef',
  'x-ratelimit-limit-requests: 60',
  'x-ratelimit-remaining-requests: 59',
  'date: Sat, 21 Nov 2026 09:00:00 GMT',
  `content-length: ${content.length}`,
];

/** A small chat's answer with a gateway's headers, as the bytes of HTTP. */
export const fixedAnswer = Buffer.from(`${head.join('\r\n')}\r\n\r\n${content}`);

const closingBrace = 125;
const letterG = 71;

/** Whether what was read ends a request: a chat's body, or a request that has none, such as a look at the models. */
export const endsRequest = (bytes: Uint8Array): boolean =>
  bytes.at(-1) === closingBrace || bytes[0] === letterG;
