import {
  attacksOn,
  chunked,
  chunkOf,
  framed,
  headFor,
  mainForms,
  properAnswers,
  tokenEvent,
  withFields,
  close,
  reset,
} from './attack.fixture.ts';

const noToken = ['broken deadline-first-token'];
const noMore = ['broken deadline-idle', 'broken deadline-total'];

export const timing = [
  ...attacksOn(mainForms, {
    'accepts the request and says nothing': [noToken, () => []],
    'a head in drops': [
      ['broken deadline-first-token'],
      () => [{ drip: `HTTP/1.1 200 OK\r\nx-slow: ${'x'.repeat(200)}` }],
    ],
    'a head and then silence': [noToken, (form) => [headFor(form), framed('x').subarray(0, -1)]],
    'closes without an answer': [['broken closed-early', 'broken closed-on-reuse'], () => [close]],
    'resets without an answer': [
      ['broken reset', 'broken closed-early', 'broken closed-on-reuse'],
      () => [reset],
    ],
    'closes within the head': [['broken closed-early'], (form) => [headFor(form), close]],
    'closes after the head': [
      ['broken closed-early'],
      (form) => [headFor(form), 'content-length: 50\r\n\r\n', close],
    ],
    'resets after the head': [
      ['broken reset', 'broken closed-early'],
      (form) => [headFor(form), 'content-length: 50\r\n\r\n', reset],
    ],
    'TLS where plain text is expected': [
      ['broken protocol'],
      () => [Buffer.from('16030300020000', 'hex'), Buffer.alloc(100, 0x17), close],
    ],
  }),
  ...attacksOn(['chat', 'speech', 'transcription', 'models'], {
    'a body in drops': [
      noMore,
      (form) => [`${headFor(form)}content-length: 5000\r\n\r\n`, { drip: ' '.repeat(200) }],
    ],
    'half a body and then silence': [
      noMore,
      (form) => [headFor(form), framed(properAnswers[form].body).subarray(0, -20)],
    ],
    'a last chunk that never comes': [
      noMore,
      (form) => [headFor(form) + chunked, chunkOf(properAnswers[form].body)],
    ],
  }),
  ...attacksOn(['chat-stream'], {
    'a stream in drops': [
      [...noMore, ...noToken],
      (form) => [`${headFor(form)}\r\n`, { drip: tokenEvent.repeat(5) }],
    ],
    'comments for ever instead of tokens': [
      noToken,
      (form) => [`${headFor(form)}\r\n`, { drip: ': ping\n\n'.repeat(50) }],
    ],
    'a token and then silence': [noMore, (form) => [`${headFor(form)}\r\n`, tokenEvent]],
    'silence after [DONE]': [
      ['completed'],
      (form) => [`${headFor(form)}\r\n`, properAnswers[form].body],
    ],
  }),
];

const digits = '9'.repeat(400);
const year9999 = 'Fri, 31 Dec 9999 23:59:59 GMT';

const limitFields = [
  `x-ratelimit-api_key-limit-requests: ${digits}`,
  'x-ratelimit-api_key-remaining-requests: -9007199254740993',
  'x-ratelimit-api_key-limit-tokens: 1e999',
  'x-ratelimit-api_key-remaining-tokens: NaN',
  `x-ratelimit-reset: ${year9999}`,
  `x-ratelimit-reset-requests: ${digits}h`,
  `anthropic-ratelimit-tokens-reset: 9999-12-31T23:59:59Z`,
  `ratelimit: "a";r=${'9'.repeat(15)};t=-1`,
];

const refusals = ['limited'];
const limitBody = JSON.stringify({
  error: {
    message: `Rate limit exceeded for requests. Reset at ${year9999}, ${digits} s`,
    type: 'None',
    code: '429',
  },
});

/** A 429 with one nonsensical Retry-After. */
const retryAfter =
  (value: string): ReturnType<typeof withFields> =>
  (form) => [`${headFor(form, '429 Slow')}retry-after: ${value}\r\n`, framed(limitBody)];

export const limits = attacksOn(mainForms, {
  'limits that no double holds': [
    ['completed'],
    withFields(limitFields.map((field) => `${field}\r\n`).join('')),
  ],
  'limits that no double holds, with a refusal': [
    refusals,
    (form) => [headFor(form, '429 Slow') + limitFields.join('\r\n'), '\r\n', framed(limitBody)],
  ],
  'limits twice and in conflict': [
    ['completed'],
    withFields(
      'x-ratelimit-api_key-limit-requests: 1\r\nx-ratelimit-api_key-limit-requests: 2\r\n',
    ),
  ],
  'Retry-After of hundreds of digits': [refusals, retryAfter(digits)],
  'Retry-After in the year 9999': [refusals, retryAfter(year9999)],
  'Retry-After below zero': [refusals, retryAfter('-1')],
  'Retry-After with an exponent': [refusals, retryAfter('1e400')],
  'Retry-After in words': [refusals, retryAfter('soon, perhaps; or never')],
  'Retry-After a thousand times': [
    refusals,
    (form) => [headFor(form, '429 Slow') + 'retry-after: 1\r\n'.repeat(500), framed(limitBody)],
  ],
});
