/** The request that closed loops send again and again, as each of them is told it. */

export const connections = 100;

/** In whole seconds, for every client: `weir run` needs them until its code is compiled. */
export const warmUp = 4;

export const chat = {
  model: 'weir/small',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello there' }],
} as const;
export const chatText = JSON.stringify(chat);

export const key = 'sk-weir-test';
export const chatHeaders = {
  'user-agent': 'weir',
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: `Bearer ${key}`,
} as const;
