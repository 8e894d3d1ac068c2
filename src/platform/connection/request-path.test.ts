import { expect, it } from 'vitest';
import { requestPathsOf } from './request-path.ts';

it.each([
  ['http://h/v1', '/models', '/v1/models'],
  ['http://h/v1/', '/models', '/v1/models'],
  ['http://h', '/models', '/models'],
  ['http://h/openai/v1?api-version=1', '/chat', '/openai/v1/chat?api-version=1'],
  ['http://h/v1/?a=1&b=%20', '/chat', '/v1/chat?a=1&b=%20'],
  ['http://h/v1?a=1', '/models?x=y', '/v1/models?x=y&a=1'],
])('below %s the path %s is sent as %s', (base, path, sent) => {
  expect(requestPathsOf(base)(path)).toBe(sent);
});
