import { describe, expect, it } from 'vitest';
import {
  finishOfChoice,
  finishOfDocument,
  isFailingFinish,
  isKnownFinish,
  shownFinish,
} from './finish-reasons.ts';

describe('the finish reason of a choice', () => {
  const of = (choice: Readonly<Record<string, unknown>>, part: unknown = null) =>
    finishOfChoice(choice, part);

  it('is its own, in each place where servers write it', () => {
    expect(of({ finish_reason: 'stop', finishReason: 'x', stop_reason: 'y' })).toBe('stop');
    expect(of({ finishReason: 'STOP' })).toBe('STOP');
    expect(of({}, { finish_reason: 'length' })).toBe('length');
    expect(of({ finish_details: { type: 'max_tokens' } })).toBe('max_tokens');
    expect(of({ stop_reason: 'end_turn' })).toBe('end_turn');
    expect(of({ finish_details: 'a', stop_reason: 'b' })).toBe('a');
    // The number of the token that ended an answer is no reason.
    expect(of({ stop_reason: 151_645 })).toBeNull();
    for (const none of [null, undefined, '', false, 'null', 'None'])
      expect(of({ finish_reason: none })).toBeNull();
    expect(of({ finish_reason: { type: 'abort', message: 'm' } })).toBe('abort');
    expect(of({ finish_reason: ['x'] })).toBe('["x"]');
  });

  it('is that of the server behind it if there is no other, or if only that failed', () => {
    expect(of({ native_finish_reason: 'completed' })).toBe('completed');
    expect(of({ finish_reason: 'stop', native_finish_reason: 'end' })).toBe('stop');
    expect(of({ finish_reason: 'stop', native_finish_reason: 'aborted' })).toBe('aborted');
    expect(of({ finish_reason: 'error', native_finish_reason: 'aborted' })).toBe('error');
    expect(of({ finish_reason: 'error', native_finish_reason: 'stop' })).toBe('error');
    expect(of({ finish_reason: 'stop', native_finish_reason: null })).toBe('stop');
    expect(of({ native_finish_reason: 7, stop_reason: 'x' })).toBe('x');
  });

  it('of a whole document is at its top', () => {
    expect(finishOfDocument({ finish_reason: 'a', done_reason: 'b', stop_reason: 'c' })).toBe('a');
    expect(finishOfDocument({ done_reason: 'b', stop_reason: 'c' })).toBe('b');
    expect(finishOfDocument({ stop_reason: 'c' })).toBe('c');
    expect(finishOfDocument({})).toBeNull();
  });
});

describe('a finish reason', () => {
  it.each([
    'error',
    'ABORT',
    'Insufficient-System-Resource',
    'engine_error',
    'upstream_timeout',
    'rate_limited',
    'deadline_exceeded',
    'OUT_OF_MEMORY',
  ])('fails an answer: %s', (reason) => {
    expect([isFailingFinish(reason, []), isKnownFinish(reason)]).toEqual([true, true]);
  });

  it.each(['stop', 'LENGTH', 'content_filter', 'max-tokens', 'no_error', 'resetting', 'terror'])(
    'completes an answer: %s',
    (reason) => {
      expect(isFailingFinish(reason, [])).toBe(false);
    },
  );

  it('fails an answer too if the scenario says so, in any spelling', () => {
    expect(isFailingFinish('Max-Tokens', ['max_tokens'])).toBe(true);
    // Both mean that the longest answer was reached.
    expect(isFailingFinish('length', ['max_tokens'])).toBe(true);
    expect(isFailingFinish('stop', ['max_tokens'])).toBe(false);
    expect(isKnownFinish('because')).toBe(false);
  });

  it('that is unknown is shown masked, short and on one line', () => {
    const redact = (text: string): string => text.replaceAll('secret', '…');
    expect(shownFinish('a secret\n\tend', redact)).toBe('a … end');
    expect(shownFinish('x'.repeat(500), redact).length).toBeLessThan(100);
    expect(shownFinish('stop', () => 'never')).toBe('stop');
  });
});
