import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everySplit } from '../kinds/replay.fixture.ts';
import { SseReader } from './sse-reader.ts';

type Seen = readonly (
  | readonly [type: string, data: string]
  | 'comment'
  | 'long line'
  | 'long event'
)[];

const read = (reads: readonly Buffer[], longest = 1000): { seen: Seen; unfinished: boolean } => {
  const seen: Seen[number][] = [];
  const reader = new SseReader(
    {
      onEvent: (type, bytes, start, end) => seen.push([type, bytes.toString('utf8', start, end)]),
      onComment: () => seen.push('comment'),
      onTooLong: (part) => seen.push(`long ${part}`),
    },
    longest,
  );
  for (const part of reads) {
    const bytes = Buffer.from(part);
    reader.feed(bytes);
    bytes.fill('\n');
  }
  return { seen, unfinished: reader.unfinished };
};

/** Returns what every way to cut the text into reads gives. It fails if two of them differ. */
const readEveryWay = (text: string | Buffer, longest?: number): ReturnType<typeof read> => {
  const whole = read([Buffer.from(text as string)], longest);
  for (const reads of everySplit(Buffer.from(text as string))) {
    expect(read(reads, longest)).toEqual(whole);
  }
  return whole;
};

const message = (data: string): readonly [string, string] => ['message', data];

describe('the SSE reader, however reads are cut,', () => {
  const cases: readonly (readonly [fact: string, text: string, seen: Seen])[] = [
    ['ends lines at LF', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
    ['ends lines at CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['ends lines at CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['accepts mixed line ends', 'data: a\r\n\ndata: b\n\r\n\r', [message('a'), message('b')]],
    ['drops a byte order mark at the beginning', '\ufeffdata: a\n\n', [message('a')]],
    ['keeps a byte order mark elsewhere', 'data: \ufeffa\n\n', [message('\ufeffa')]],
    [
      'accepts no space after the colon',
      'data:a\n\ndata:[DONE]\n\n',
      [message('a'), message('[DONE]')],
    ],
    ['removes only one space after the colon', 'data:  a\n\n', [message(' a')]],
    ['joins several data lines by LF', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
    [
      'joins data around other lines',
      'data: a\n: x\nid: 7\nfoo\ndata: b\n\n',
      ['comment', message('a\nb')],
    ],
    ['treats a data line without a colon as empty data', 'data\n\n', [message('')]],
    ['reports an event with empty data', 'data:\n\n', [message('')]],
    ['ignores an event without data', 'event: x\nid: 1\n\ndata: a\n\n', [message('a')]],
    ['names the event', 'event: error\ndata: a\n\ndata: b\n\n', [['error', 'a'], message('b')]],
    ['names an event whose name follows its data', 'data: a\nevent: ü\n\n', [['ü', 'a']]],
    ['skips id and retry', 'id: 1\nretry: 10\ndata: a\n\n', [message('a')]],
    [
      'skips fields that only begin like known ones',
      'database: x\ndat: x\nevents: x\ndata: a\n\n',
      [message('a')],
    ],
    [
      'reports comments',
      ': ping\n\n:\n\ndata: a\n\n: PROCESSING\n\n',
      ['comment', 'comment', message('a'), 'comment'],
    ],
    ['keeps characters of several bytes whole', 'data: 😀é漢\n\n', [message('😀é漢')]],
    ['keeps a colon within the data', 'data: a: b\n\n', [message('a: b')]],
    ['skips blank lines', '\n\n\r\n\ndata: a\n\n\n\n', [message('a')]],
  ];
  it.each(cases)('%s', (_, text, seen) => {
    expect(readEveryWay(text)).toEqual({ seen, unfinished: false });
  });

  it.each(['data: b\n', 'data: b', 'da', 'event: x\n', 'data: b\r\n'])(
    'drops an event that the end of the stream cuts off, with a note: %j',
    (end) => {
      expect(readEveryWay(`data: a\n\n${end}`)).toEqual({ seen: [message('a')], unfinished: true });
    },
  );

  it('decodes broken UTF-8 like a decoder of the whole stream', () => {
    const text = Buffer.concat([Buffer.from('data: '), Buffer.of(0xe6, 0xbc), Buffer.from('\n\n')]);
    expect(readEveryWay(text).seen).toEqual([message('�')]);
  });

  it('accepts a line of exactly the limit and stops at one byte more', () => {
    expect(readEveryWay('data: 4567\n\ndata: b\n\n', 10).seen).toEqual([
      message('4567'),
      message('b'),
    ]);
    expect(readEveryWay('data: 45678\n\ndata: b\n\n', 10).seen).toEqual(['long line']);
    expect(readEveryWay('data: a\n\n: 456789012', 10).seen).toEqual([message('a'), 'long line']);
  });

  it('accepts data of exactly the limit and stops at one byte more', () => {
    expect(readEveryWay('data:1234\ndata:6789A\n\n', 10).seen).toEqual([message('1234\n6789A')]);
    expect(readEveryWay('data:1234\ndata:6789A\ndata:\n\n', 10).seen).toEqual(['long event']);
  });
});

it('reads nothing more once it is stopped, not even the rest of a read', () => {
  const seen: string[] = [];
  const reader: SseReader = new SseReader(
    {
      onEvent: (_, bytes, start, end) => {
        seen.push(bytes.toString('utf8', start, end));
        reader.stop();
      },
      onComment: () => seen.push('comment'),
      onTooLong: () => seen.push('too long'),
    },
    100,
  );
  reader.feed(Buffer.from('data: a\n\ndata: b\n\n: c\n'));
  reader.feed(Buffer.from('data: d\n\n'));
  expect(seen).toEqual(['a']);
});

it('agrees with eventsource-parser on any text in any reads', () => {
  const fragment = fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'event:',
    'event: ',
    'id: 1',
    'retry: 5',
    ':',
    ': ',
    ' ',
    'x',
    'é😀',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\r',
    '\r\n\r\n',
    '\n\n',
  );
  fc.assert(
    fc.property(
      fc.array(fragment, { maxLength: 30 }),
      fc.array(fc.nat(12), { maxLength: 30 }),
      (fragments, lengths) => {
        const text = fragments.join('');
        const expected: Seen[number][] = [];
        createParser({
          onEvent: ({ event, data }) => expected.push([event ?? 'message', data]),
          onComment: () => expected.push('comment'),
        }).feed(text.replaceAll(/\r\n?/g, '\n'));
        const bytes = Buffer.from(text);
        const reads: Buffer[] = [];
        let from = 0;
        for (const length of [...lengths, bytes.length]) {
          reads.push(bytes.subarray(from, from + length));
          from += length;
        }
        expect(read(reads).seen).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});
