import { expect, it } from 'vitest';
import { readWaitInBody } from './wait-in-body.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const error = (message: string, more: object = {}): string =>
  JSON.stringify({ error: { message, ...more } });

it.each([
  [
    'OpenAI’s sentence',
    error('Rate limit reached for m. Please try again in 1.2s. Visit x.'),
    1200,
  ],
  ['its minutes', error('Please try again in 6m0s.'), 360_000],
  ['its milliseconds', error('Please try again in 20ms.'), 20],
  ['Groq’s', error('Please try again in 1m26.4s. Need more tokens?'), 86_400],
  ['Azure’s', error('Please retry after 7 seconds.'), 7000],
  ['a long one of Azure', error('Please retry after 1 day.'), 86_400_000],
  [
    'API Management’s',
    '{"statusCode":429,"message":"Rate limit is exceeded. Try again in 59 seconds."}',
    59_000,
  ],
  [
    'API Management’s quota',
    '{"statusCode":403,"message":"Out of call volume quota. Quota will be replenished in 00:30:02."}',
    1_802_000,
  ],
  ['the same in days', error('Quota will be replenished in 2.12 days.'), 183_168_000],
  ['Moonshot’s', error('rpm: 3, please try again after 1 seconds'), 1000],
  ['GitHub Models’s', error('Please wait 42 seconds before retrying.'), 42_000],
  ['words', error('try again in 1 minute and 20 seconds'), 80_000],
  [
    'Google’s RetryInfo',
    error('Quota', {
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
    }),
    12_000,
  ],
  ['the same in a list', `[${error('Quota', { details: [{ retryDelay: '3.5s' }] })}]`, 3500],
  [
    'the same quoted by LiteLLM',
    error(`litellm.RateLimitError: {"error": {"details": [{"retryDelay": "12s"}]}}`),
    12_000,
  ],
  [
    'OpenRouter’s headers',
    error('Rate limit', { metadata: { headers: { 'X-RateLimit-Reset': String(now + 42_000) } } }),
    42_000,
  ],
  [
    'its number',
    error('Rate limit', { metadata: { headers: { 'X-RateLimit-Reset': now + 42_000 } } }),
    42_000,
  ],
  ['a field', error('slow', { retry_after: 30 }), 30_000],
  [
    'Hugging Face’s model that loads',
    '{"error":"Model x is currently loading","estimated_time":20.5}',
    20_500,
  ],
  ['the longest of several', error('Please try again in 2s.', { retry_after: 5 }), 5000],
  ['Django’s', '{"detail":"Request was throttled. Expected available in 20 seconds."}', 20_000],
  ['a rounded one', error('Please try again later in about 5 minutes.'), 300_000],
  ['the header as a text quotes it', error('Too many requests (Retry-After: 20)'), 20_000],
  ['the same with a name of Python', error('rate limited, retry_after=1.5'), 1500],
  ['a moment', error('Try again at 2026-03-01T12:00:20Z.'), 20_000],
  ['a moment that has passed', error('Try again at 2026-03-01 11:00:00 UTC'), 0],
  ['Chinese', error('请求过于频繁,请在 20 秒后重试'), 20_000],
  ['Chinese minutes', error('2分钟后再试'), 120_000],
  ['a field in kebab case', '{"Retry-After":"5"}', 5000],
  ['a field with its unit', error('slow', { retryAfterSeconds: 7 }), 7000],
  [
    'a duration of Protocol Buffers',
    error('x', { retry_delay: { seconds: 34, nanos: 5e8 } }),
    34_500,
  ],
  ['the same with a text', error('x', { retryDelay: { seconds: '34' } }), 34_000],
  ['a negative field', error('x', { retry_after: -1 }), null],
  ['a sentence that asks to wait in Chinese', error('触发限流，请等待2秒'), 2000],
  ['traditional Chinese', error('請於 2 分鐘後重試'), 120_000],
  ['Japanese', error('2時間後に再試行してください'), 7_200_000],
  ['a time of being limited', error('You have been rate limited for 2 seconds'), 2000],
  ['the next allowed request', error('Next request allowed in 2 seconds'), 2000],
  ['Codex’s field', '{"error":{"type":"usage_limit_reached","resets_in_seconds":2}}', 2000],
  ['a field of waiting', '{"error":"limited","wait_time":2}', 2000],
  ['a field of cooling down', '{"error":"limited","cooldown_seconds":"2"}', 2000],
  ['a moment', `{"error":{"resets_at":${now / 1000 + 3}}}`, 3000],
  ['a moment as text', `{"reset_at":"${new Date(now + 3000).toISOString()}"}`, 3000],
  ['a moment in the past', `{"resets_at":${now / 1000 - 3}}`, 0],
  ['no moment', '{"resets_at":{"x":1},"retry_at":"soon"}', null],
  [
    'an amount of other things',
    error('retry after 3 attempts: 5 left, available in 3 regions'),
    null,
  ],
  ['a version behind the header’s name', error('retry-after: 1.2.3'), null],
  ['no duration', error('Please try again later, after 3 attempts'), null],
  ['a page', '<html><title>429 Too Many Requests</title></html>', null],
  ['digits without end', error(`try again in ${'9'.repeat(500)}s`), null],
  ['nothing', '', null],
  ['a header that is no text', '{"headers":{"retry-after":{"toString":1}},"retry_after":2}', 2000],
  ['null', '{"error":null,"headers":null,"retry_after":null}', null],
])('the wait is read from %s', (_, body, wait) => {
  expect(readWaitInBody(body, now)).toBe(wait);
});
