/** The request that closed loops send again and again, as each of them is told it. */

export const closedLoopConnections = 100;

/** In whole seconds, for every client: `weir run` needs them until its code is compiled. */
export const warmUpSeconds = 4;

export const smallChat = {
  model: 'weir/small',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello there' }],
} as const;
export const smallChatJson = JSON.stringify(smallChat);

export const benchApiKey = 'sk-weir-test';
export const smallChatHeaders = {
  'user-agent': 'weir',
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: `Bearer ${benchApiKey}`,
} as const;

/** The bytes of a request with such a body, for the least that Node can do; the body is of ASCII. */
export const bareRequest = (body: string): Buffer => {
  const fields = { host: 'x', ...smallChatHeaders, 'x-request-id': 'weir-bench-0-123456' };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}content-length: ${body.length}\r\n\r\n${body}`,
  );
};
