import type { Draw } from '../../model/workload/draw.ts';
import {
  id3,
  infoFrame,
  mp3Frame,
  oggPage,
  opusHeaders,
  opusPacket,
  riff,
  riffChunk,
  wavFormat,
} from '../../traffic/audio/sample-audio.fixture.ts';
import { nested } from './attack.fixture.ts';

/** Answers that are nearly right, as a pure function of a draw. */

export const chance = (draw: Draw, share: number): boolean => draw.uniform() < share;
export const below = (draw: Draw, end: number): number => Math.floor(draw.uniform() * end);
export const several = <T>(draw: Draw, most: number, make: () => T): readonly T[] =>
  Array.from({ length: below(draw, most + 1) }, make);

/** Deeper answers end a run today; the attacks on depth are about them. */
const deepest = 200;

const oddValues: readonly string[] = [
  ...'null true false 0 -1 1e400 -1e400 0.5 9007199254740993 "" [] {} "429" "None"'.split(' '),
  nested(deepest),
  `"${'x'.repeat(2000)}"`,
  String.raw`"\ud800"`,
  '"<html>"',
  '{"__proto__":{"a":1}}',
  '{"message":5}',
  '{"message":"Rate limit: 60 requests per minute","type":"None","code":429}',
];

/** A JSON text like the template: values in single quotes are sometimes replaced by odd ones, and members doubled. */
const varied = (draw: Draw, template: string): string =>
  template.replaceAll(/'([^']*)'/g, (_, usual: string) =>
    chance(draw, 0.12) ? draw.pick(oddValues) : usual,
  );

const chunkTemplates = [
  `{"id":'"c"',"choices":'[{"index":0,"delta":{"content":"a"}}]'}`,
  `{"choices":[{"index":'0',"delta":{"content":'"b"',"reasoning":'"r"'},"finish_reason":'null'}]}`,
  `{"choices":[{"index":'1',"delta":'{}',"finish_reason":'"stop"'}],"usage":'null'}`,
  `{"choices":[{"delta":{"tool_calls":'[{"function":{"arguments":"x"}}]'}}]}`,
  `{"choices":'[]',"usage":{"prompt_tokens":'3',"completion_tokens":'2',"total_tokens":'5'}}`,
  `{"error":'{"message":"no","code":500}'}`,
  `{"detail":'[{"msg":"m","loc":["a",1]}]'}`,
  `{"object":'"error"',"message":'"old"'}`,
];

const lineEnds = ['\n', '\n', '\n', '\r\n', '\r'];
const sseLine = (draw: Draw): string => {
  const end = draw.pick(lineEnds);
  const data = varied(draw, draw.pick(chunkTemplates));
  const parts: readonly string[] = [
    ...Array.from({ length: 10 }, () => `data: ${data}${end}${end}`),
    `data:${data}${end}data: ${end}${end}`,
    `event: error${end}data: ${data}${end}${end}`,
    `event: ping${end}data: 1${end}${end}`,
    `: ping${end}${end}`,
    `data: [DONE]${end}${end}`,
    `retry: 9${end}id: 9${end}data${end}${end}`,
    `data: ${data.slice(0, below(draw, data.length))}`,
    '\ufeff',
    draw.pick(['<html>', '{', '[', ' ']),
  ];
  return draw.pick(parts);
};

export const streamBody = (draw: Draw): Buffer => {
  const end = chance(draw, 0.7)
    ? 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    : '';
  return Buffer.from(several(draw, 12, () => sseLine(draw)).join('') + end);
};

const modelList = `{"object":'"list"',"data":[{"id":'"m"',"object":'"model"',"created":'1',"owned_by":'"w"'}]}`;

const documents: readonly string[] = [
  `{"choices":[{"message":{"content":'"a"',"reasoning":'"r"',"tool_calls":'[]'},"finish_reason":'"stop"'}],"usage":'{"prompt_tokens":1,"completion_tokens":1}'}`,
  `{"choices":'[]',"usage":{"prompt_tokens":'1',"completion_tokens":'0'}}`,
  `{"text":'"the gate is open"',"segments":'[]',"words":'[]'}`,
  modelList,
  `{"error":{"message":'"no"',"type":'"None"',"code":'"429"'}}`,
  `{"detail":[{"msg":'"m"',"loc":['"a"','1']}]}`,
  `{"message":'"Limit reset at: 2026-03-01 12:00:00 UTC"',"msg":'"m"'}`,
  `'null'`,
  `<!doctype html><title>'x'</title>`,
  `data: {"error":'"x"'}\n\n`,
];

export const documentBody = (draw: Draw): Buffer =>
  Buffer.from(
    `${chance(draw, 0.05) ? '\ufeff' : ''}${varied(draw, draw.pick(documents))}${chance(draw, 0.05) ? '}' : ''}`,
  );

/** Half of these are lists of models: of ten documents, hardly one would be accepted. */
export const modelListBody = (draw: Draw): Buffer =>
  chance(draw, 0.5) ? Buffer.from(varied(draw, modelList)) : documentBody(draw);

const mp3Parts = (draw: Draw): Buffer =>
  draw.pick<() => Buffer>([
    () => mp3Frame(),
    () => mp3Frame(),
    () => mp3Frame().subarray(0, below(draw, 36)),
    () => id3(below(draw, 200)),
    () => infoFrame(below(draw, 256), draw.pick([0, 2])),
    () => Buffer.from('TAGAPETAGEXID3'),
    () => Buffer.alloc(below(draw, 3000), draw.pick([0, 0xff, 0x49])),
  ])();

const wavParts = (draw: Draw): Buffer =>
  draw.pick<() => Buffer>([
    () =>
      wavFormat(
        draw.pick([1, 2, 3, 0x11, 0xfffe, 999]),
        several(draw, 6, () => below(draw, 256)),
      ),
    () =>
      riffChunk('data', Buffer.alloc(below(draw, 400), 7), draw.pick([0, 10, 400, 0xffff_ffff])),
    () => riffChunk('data', Buffer.alloc(100, 7)),
    () => riffChunk(draw.pick(['LIST', 'fmt ', 'JUNK', '\0\0\0\0']), Buffer.alloc(below(draw, 40))),
  ])();

const positions = [-1, 0, 960, 1920, 9600, 2 ** 40, 2 ** 62, -(2 ** 62)];
const oggParts = (draw: Draw): Buffer =>
  draw.pick<() => Buffer>([
    () => opusHeaders(below(draw, 70_000) % 65_536, 1 + below(draw, 2)),
    () => oggPage([opusPacket], { position: draw.pick(positions), last: chance(draw, 0.2) }),
    () => oggPage([opusPacket, opusPacket], { position: draw.pick(positions), serial: 2 }),
    () => oggPage([Buffer.alloc(510)], { open: true, position: -1 }),
    () => oggPage([Buffer.from(several(draw, 20, () => below(draw, 256)))], { position: 960 }),
    () => Buffer.from('OggS\0'),
  ])();

/** Nearly no opus of random parts is whole. */
const wholeOpus = Buffer.concat([
  opusHeaders(312),
  oggPage([opusPacket, opusPacket], { position: 1920, last: true }),
]);

const audioGrammars = {
  mp3: (draw: Draw) => Buffer.concat([mp3Frame(), ...several(draw, 8, () => mp3Parts(draw))]),
  wav: (draw: Draw) => riff(wavFormat(), ...several(draw, 6, () => wavParts(draw))),
  opus: (draw: Draw) =>
    chance(draw, 0.2)
      ? wholeOpus
      : Buffer.concat([opusHeaders(312), ...several(draw, 8, () => oggParts(draw))]),
} as const;

export const audioBody = (draw: Draw, format: keyof typeof audioGrammars): Buffer =>
  audioGrammars[format](draw);

const headerNames = [
  'x-ratelimit-api_key-limit-requests',
  'x-ratelimit-api_key-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-ratelimit-limit-req-minute',
  'x-ratelimit-reset',
  'anthropic-ratelimit-tokens-reset',
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-reset',
  'retry-after',
  'date',
  'x-request-id',
  'content-type',
  'content-encoding',
];

const headerValue = (draw: Draw): string =>
  draw.pick<() => string>([
    () => String(below(draw, 100)),
    () => '9'.repeat(below(draw, 420)),
    () => `${below(draw, 99)}${draw.pick(['s', 'ms', 'h', 'm1s', '.5s', 'e9'])}`,
    () => draw.pick(['Fri, 31 Dec 9999 23:59:59 GMT', '9999-12-31T23:59:59Z', 'Sun, 01 Mar 2026']),
    () => `"a";q=${below(draw, 99)};w=1;r=${'9'.repeat(below(draw, 20))};t=-1, "b"`,
    () =>
      draw.pick([
        'NaN',
        '-1',
        'Infinity',
        '',
        '1, 2',
        'gzip',
        'br, gzip',
        'audio/mpeg',
        'text/event-stream',
      ]),
    () => String.fromCharCode(...several(draw, 12, () => 32 + below(draw, 224))),
  ])();

export const oddHeaders = (draw: Draw): Record<string, string> =>
  Object.fromEntries(several(draw, 5, () => [draw.pick(headerNames), headerValue(draw)]));

/** Some bytes changed, taken out or put in. */
export const damaged = (draw: Draw, bytes: Buffer): Buffer => {
  let text = bytes.toString('latin1');
  const inserted = ['', '', '\r', '\n', '\r\n', '\r\n\r\n', ...' \t:,;05fg\0\x7f-+"={}[]\xff'];
  for (let edits = below(draw, 4); edits > 0; edits -= 1) {
    const at = below(draw, text.length + 1);
    text = text.slice(0, at) + draw.pick(inserted) + text.slice(at + below(draw, 4));
  }
  if (chance(draw, 0.1)) text = text.slice(0, below(draw, text.length + 1));
  return Buffer.from(text, 'latin1');
};

/** The bytes in up to six reads, or one read for each byte. */
export const inReads = (draw: Draw, bytes: Buffer): readonly Buffer[] => {
  if (bytes.length <= 400 && chance(draw, 0.2)) return [...bytes].map((byte) => Buffer.of(byte));
  const cuts = several(draw, 5, () => below(draw, bytes.length + 1)).toSorted((a, b) => a - b);
  const borders = [0, ...cuts, bytes.length];
  return borders.slice(1).map((to, n) => bytes.subarray(borders[n], to));
};
