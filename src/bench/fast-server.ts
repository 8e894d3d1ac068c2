import { type AddressInfo, createServer } from 'node:net';

/**
 * The fastest server that Node can be: no parser, one fixed answer of a gateway's size to whatever ends
 * as a chat request does. Clients are measured against it, so it has to cost less than they do.
 */

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
const answer = Buffer.from(`${head.join('\r\n')}\r\n\r\n${content}`);
const closingBrace = 125;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (bytes) => {
    if (bytes.at(-1) === closingBrace) socket.write(answer);
  });
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
