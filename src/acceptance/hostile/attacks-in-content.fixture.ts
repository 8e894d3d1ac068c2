import {
  id3,
  infoFrame,
  mp3Frame,
  mp3Frames,
  oggPage,
  opusHeaders,
  opusPacket,
  riff,
  riffChunk,
  wavFile,
  wavFormat,
} from '../../traffic/audio/sample-audio.fixture.ts';
import {
  type Attack,
  attacksOn,
  flood,
  headFor,
  lastEvents,
  nested,
  properAnswers,
  sseData,
  tokenEvent,
  withBody,
  close,
  reset,
} from './attack.fixture.ts';

const completed = ['completed'];
/** A busy machine may not read five MiB of an endless answer in time. */
const tooLarge = ['broken too-large', 'broken deadline-total', 'broken deadline-idle'];
const badEvent = ['malformed stream-event'];

const stream =
  (...steps: ReturnType<Attack['steps']>): Attack['steps'] =>
  (form) => [`${headFor(form)}\r\n`, ...steps];

const events = (...parts: readonly string[]): Attack['steps'] =>
  withBody(parts.join('') + lastEvents);

const usage = (tokens: unknown): string =>
  sseData({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: tokens } });

export const eventStreams = attacksOn(['chat-stream'], {
  'an endless line': [[...tooLarge, 'broken deadline-first-token'], stream('data: "', flood('x'))],
  'an event of endless lines': [
    [...tooLarge, 'broken deadline-first-token'],
    stream(flood('data: x\n')),
  ],
  'a stream in single bytes': [
    completed,
    stream({ bytewise: properAnswers['chat-stream'].body }, close),
  ],
  'a stream that never ends': [
    ['broken too-large', 'broken deadline-total', 'broken deadline-idle'],
    stream(flood(tokenEvent)),
  ],
  'no [DONE]': [
    completed,
    stream(sseData({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }), close),
  ],
  'no end of any kind': [['malformed stream-truncated'], stream(tokenEvent, close)],
  'lines that end in CR': [completed, events(tokenEvent.replaceAll('\n', '\r'))],
  'endless CRs': [
    ['broken too-large', 'broken deadline-first-token', 'malformed'],
    stream(flood('\r')),
  ],
  'endless comments': [
    ['broken too-large', 'broken deadline-first-token'],
    stream(flood(': ping\n')),
  ],
  'invalid UTF-8': [
    completed,
    withBody(
      Buffer.concat([
        Buffer.from('data: {"choices":[{"delta":{"content":"'),
        Buffer.of(0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80),
        Buffer.from(`"}}]}\n\n${lastEvents}`),
      ]),
    ),
  ],
  'a hundred thousand events at once': [
    ['completed', 'broken too-large'],
    events(tokenEvent.repeat(100_000)),
  ],
  'a hundred thousand choices': [
    ['malformed stream-event', 'broken too-large'],
    events(
      `data: {"choices":[${Array.from({ length: 100_000 }, (_, index) => `{"index":${index},"delta":{"content":"a"},"finish_reason":"stop"}`).join()}]}\n\n`,
    ),
  ],
  'tool calls of 4,000 levels': [
    ['malformed stream-event'],
    events(`data: {"choices":[{"index":0,"delta":{"tool_calls":${nested(4000)}}}]}\n\n`),
  ],
  'tool calls of 100,000 levels': [
    ['completed', ...badEvent],
    events(`data: {"choices":[{"index":0,"delta":{"tool_calls":${nested(100_000)}}}]}\n\n`),
  ],
  'a choice beyond every number': [
    ['malformed stream-event', 'completed'],
    events('data: {"choices":[{"index":1e400,"delta":{"content":"a"}}]}\n\n'),
  ],
  'usage beyond every number': [completed, events(tokenEvent, usage(0).replaceAll(':0', ':1e400'))],
  'usage of 2^53': [completed, events(tokenEvent, usage(2 ** 53))],
  'usage below zero': [completed, events(tokenEvent, usage(-1))],
  'usage twice and in conflict': [completed, events(tokenEvent, usage(5), usage(7))],
  'the keys of a prototype': [
    completed,
    events(
      tokenEvent,
      'data: {"__proto__":{"choices":1},"constructor":{"prototype":{}},"choices":[]}\n\n',
    ),
  ],
  'data after [DONE]': [completed, events(tokenEvent, lastEvents, tokenEvent)],
  'endless data after [DONE]': [completed, stream(tokenEvent + lastEvents, flood(tokenEvent))],
  'a reset after [DONE]': [completed, stream(tokenEvent + lastEvents, reset)],
  'a number as an event': [badEvent, events('data: 1e400\n\n')],
});

const text = (body: string): Attack['steps'] => withBody(body);
const choices = (message: string, rest = ''): string =>
  `{"choices":[{"message":${message},"finish_reason":"stop"}]${rest}}`;

const modelLine = '{"id":"__proto__","object":"model","created":1,"owned_by":"w"}';

const anyJson = ['chat', 'transcription', 'models'] as const;

export const json = [
  ...attacksOn(anyJson, {
    'a hundred thousand arrays': [['malformed'], text(nested(100_000))],
    'a detail of many levels': [['malformed not-json'], text(`{"detail":${nested(100_000)}}`)],
    'a number of a million digits': [['malformed'], text('9'.repeat(1_000_000))],
    'only null': [['malformed'], text('null')],
    'prototype keys only': [
      ['malformed'],
      text('{"__proto__":{"choices":[],"data":[],"text":""}}'),
    ],
    'UTF-16': [['malformed'], withBody(Buffer.from('{"choices":[]}', 'utf16le'))],
    'rubbish after the document': [['malformed not-json'], text('{"choices":[]}{}')],
  }),
  ...attacksOn(['chat'], {
    'usage of 1e400': [
      ['malformed shape', 'completed'],
      text(choices('{"content":"a"}', ',"usage":{"prompt_tokens":1e400,"completion_tokens":1}')),
    ],
    'usage of a plausible kind that is not': [
      completed,
      text(
        choices(
          '{"content":"a"}',
          ',"usage":{"prompt_tokens":9007199254740991,"completion_tokens":9007199254740991}',
        ),
      ),
    ],
    'a thousand levels of tool calls, without usage': [
      ['malformed not-json'],
      text(choices(`{"tool_calls":${nested(1000)}}`)),
    ],
    'half surrogates': [completed, text(choices(String.raw`{"content":"\ud800\udfff\ud800"}`))],
    'a content of 200,000 control characters': [
      completed,
      text(choices(`{"content":"${'\\u0000'.repeat(200_000)}"}`)),
    ],
  }),
  ...attacksOn(['transcription'], {
    'a transcript of half a million words': [completed, text(`{"text":"${'a '.repeat(500_000)}"}`)],
    'a transcript of one endless word': [completed, text(`{"text":"${'a'.repeat(2_000_000)}"}`)],
  }),
  ...attacksOn(['models'], {
    'five thousand models': [
      completed,
      text(`{"object":"list","data":[${`${modelLine},`.repeat(5000)}${modelLine}]}`),
    ],
    'models of 100,000 levels': [
      ['malformed', 'completed'],
      text(`{"object":"list","data":[${modelLine.replace('}', `,"x":${nested(100_000)}}`)}]}`),
    ],
  }),
];

const unusable = ['malformed audio-container', 'malformed audio-truncated', 'malformed empty'];
const anyAudio = ['completed', ...unusable, 'broken too-large'];

export const audio = [
  ...attacksOn(['speech', 'speech-wav', 'speech-opus'], {
    'events instead of audio': [['malformed'], withBody(tokenEvent.repeat(1000))],
    'endless zeros instead of audio': [
      ['broken too-large', 'malformed'],
      stream(flood(Buffer.alloc(1000))),
    ],
  }),
  ...attacksOn(['speech'], {
    'endless MP3': [tooLarge, stream(flood(mp3Frame()))],
    'an MP3 in single bytes': [completed, stream({ bytewise: mp3Frames(10) }, close)],
    'more frames declared than sent': [
      ['malformed audio-truncated'],
      withBody(Buffer.concat([infoFrame(255), mp3Frames(3)])),
    ],
    'a tag of 256 MB': [
      ['malformed audio-truncated'],
      withBody(Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f'), Buffer.alloc(5000)])),
    ],
    'nothing but tags': [
      unusable,
      withBody(Buffer.concat(Array.from({ length: 2000 }, () => id3(20)))),
    ],
    'syncs that start no frame': [anyAudio, withBody(Buffer.alloc(1_000_000, 0xff))],
    'tags within tags': [
      anyAudio,
      withBody(Buffer.concat([mp3Frames(3), Buffer.from('TAGID3APETAG'.repeat(50_000))])),
    ],
  }),
  ...attacksOn(['speech-wav'], {
    'a WAV that is longer than declared': [anyAudio, withBody(wavFile(100_000, 200))],
    'a WAV that is shorter than declared': [
      ['malformed audio-truncated'],
      withBody(wavFile(100, 1_000_000)),
    ],
    'an endless WAV': [tooLarge, stream(wavFile(10, 0), flood(Buffer.alloc(1000, 7)))],
    'a WAV whose chunk is 4 GB': [
      ['malformed audio-truncated'],
      withBody(riff(riffChunk('LIST', Buffer.alloc(10), 0xffff_ffff))),
    ],
    'a WAV without a format': [
      ['malformed audio-container'],
      withBody(riff(riffChunk('data', Buffer.alloc(10)))),
    ],
    'a format of zeros': [
      ['malformed audio-container'],
      withBody(riff(riffChunk('fmt ', Buffer.alloc(16)), riffChunk('data', Buffer.alloc(10)))),
    ],
    'a WAV of a million empty chunks': [
      anyAudio,
      withBody(riff(wavFormat(), Buffer.from('LIST\0\0\0\0'.repeat(200_000), 'latin1'))),
    ],
  }),
  ...attacksOn(['speech-opus'], {
    'endless Ogg pages': [
      tooLarge,
      stream(opusHeaders(312), flood(oggPage([opusPacket], { position: 960 }))),
    ],
    'a position of 2^62': [
      anyAudio,
      withBody(
        Buffer.concat([opusHeaders(0), oggPage([opusPacket], { position: 2 ** 62, last: true })]),
      ),
    ],
    'positions that go back': [
      anyAudio,
      withBody(
        Buffer.concat([
          opusHeaders(65_535),
          ...[9600, 960, -5, 0].map((position) => oggPage([opusPacket], { position })),
        ]),
      ),
    ],
    'a packet that never ends': [
      ['broken too-large', ...unusable],
      stream(opusHeaders(312), flood(oggPage([Buffer.alloc(255 * 255)], { open: true }))),
    ],
    'a page that claims more than it has': [
      unusable,
      withBody(Buffer.concat([opusHeaders(312), oggPage([Buffer.alloc(60_000)]).subarray(0, 300)])),
    ],
    'another stream in the file': [
      anyAudio,
      withBody(Buffer.concat([opusHeaders(312), opusHeaders(312, 2), opusHeaders(312, 3)])),
    ],
  }),
];
