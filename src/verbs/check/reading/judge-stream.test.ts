import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsIn, judgeEnd, judgeFraming } from './judge-stream.ts';

const stream = 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n';

const outcomeOf = ({ outcome, name }: ReturnType<typeof judgeFraming>): string =>
  name === undefined ? outcome : `${outcome}: ${name}`;

describe('the framing of a stream', () => {
  it.each([
    ['as specified', stream, 'pass'],
    ['without the last blank line', stream.slice(0, -1), 'pass'],
    [
      'without a blank line between two events',
      stream.replace('}\n\ndata: {', '}\ndata: {'),
      'violation',
    ],
    ['with text before it', `hello\n${stream}`, 'violation'],
    ['with JSON without data:', `{"a":1}\n\n${stream}`, 'violation'],
    ['that ends in an event', 'data: {"a":1}', 'violation'],
    ['with comments', `: ping\n\n${stream}`, 'deviation: comments'],
    ['without spaces', stream.replaceAll('data: ', 'data:'), 'deviation: no-space'],
    ['with CRLF', stream.replaceAll('\n', '\r\n'), 'deviation: carriage-returns'],
    ['with names', stream.replaceAll('data', 'event: message\ndata'), 'deviation: event-names'],
    ['with ids', stream.replaceAll('data', 'id: 7\ndata'), 'deviation: other-fields'],
    ['with a byte order mark', `\ufeff${stream}`, 'deviation: byte-order-mark'],
    [
      'with an event of two lines',
      'data: {"a":\ndata: 1}\n\ndata: [DONE]\n\n',
      'deviation: multi-line',
    ],
    [
      'with an event of two lines, and then without a blank line between two events',
      'data: {"a":\ndata: 1}\n\ndata: {"b":2}\ndata: {"c":3}\n\ndata: [DONE]\n\n',
      'violation',
    ],
  ])('%s is judged', (_, text, expected) => {
    expect(outcomeOf(judgeFraming(text))).toBe(expected);
  });

  it('never throws, for any text', () => {
    const piece = fc.constantFrom(
      'data: ',
      'data:',
      '{"a":1}',
      '\n',
      '\r',
      ': x',
      '[DONE]',
      'id',
      'ü',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        judgeFraming(text);
        judgeEnd(text, false);
        expect(eventsIn(Buffer.from(text)).length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('the end of a stream', () => {
  it.each([
    ['as specified', stream, false, 'pass'],
    ['missing', stream.replace('data: [DONE]\n\n', ''), false, 'violation'],
    ['in another case', stream.replace('DONE', 'done'), false, 'violation'],
    ['followed by an event', `${stream}data: {}\n\n`, false, 'violation'],
    ['followed by a comment', `${stream}: bye\n\n`, false, 'pass'],
    ['without a space', stream.replace('data: [', 'data:['), false, 'deviation: no-space'],
    ['left open', stream, true, 'deviation: open-after-done'],
  ])('%s is judged', (_, text, isLeftOpen, expected) => {
    expect(outcomeOf(judgeEnd(text, isLeftOpen))).toBe(expected);
  });
});
