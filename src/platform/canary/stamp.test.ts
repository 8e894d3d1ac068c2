import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { countErrors, readStamps, stampedChunk, stampText } from './stamp.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** An event sent at this instant of the machine's clock, in ms. */
const sentAt = (ms: number): string =>
  stampedChunk([Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]);

describe('stamps', () => {
  it('are each read once and unchanged wherever the stream is cut, unless the cut is inside a stamp', () => {
    const length = stampText([0, 0]).length;
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (sent) => {
        const events = sent.map((each) => sentAt(each / 1000));
        const bytes = bytesOf(events.join(''));
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          const whole = sent.filter((_, place) => {
            const before = events.slice(0, place).join('').length;
            const begin = before + events[place]!.indexOf('@@');
            return cut <= begin || cut >= begin + length;
          });
          const stamps: number[] = [];
          for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
            readStamps(part, (stamp) => stamps.push(Math.round(stamp * 1000)));
          }
          expect(stamps).toEqual(whole);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('errors', () => {
  it('are the instant of the read on the shared clock minus the stamp', () => {
    const errors = countErrors({ machineZero: 1000, readDelay: () => 0 });
    errors.note(instant(250), bytesOf(sentAt(1249.96) + sentAt(1249.96) + sentAt(1247)));
    errors.note(instant(251), bytesOf(sentAt(1250.96)));
    expect(errors.take().errors).toEqual([
      [0.04, 3],
      [3, 1],
    ]);
  });

  it('include only events that were sent after the start', () => {
    const errors = countErrors({ machineZero: 1000, readDelay: () => 0 });
    errors.note(instant(240), bytesOf(sentAt(1240)));
    errors.begin(250);
    errors.note(instant(260), bytesOf(sentAt(1249) + sentAt(1251)));
    expect(errors.take().errors).toEqual([[9, 1]]);
  });

  it('are also counted without what the event can have waited in the loop', () => {
    const errors = countErrors({ machineZero: 1000, readDelay: (at) => (at === 250 ? 2 : 0) });
    errors.note(instant(250), bytesOf(sentAt(1247) + sentAt(1249)));
    errors.note(instant(251), bytesOf(sentAt(1250)));
    expect(errors.take().outside).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('are reported once', () => {
    const errors = countErrors({ machineZero: 0, readDelay: () => 0 });
    errors.note(instant(7), bytesOf(sentAt(6)));
    errors.take();
    expect(errors.take().errors).toEqual([]);
  });

  it('are never negative, however the clocks are offset', () => {
    const errors = countErrors({ machineZero: 0, readDelay: () => 0 });
    errors.note(instant(6), bytesOf(sentAt(6.003)));
    expect(errors.take().errors).toEqual([[0, 1]]);
  });
});
