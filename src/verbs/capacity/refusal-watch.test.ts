import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { refusedWith, sampleObservation } from '../../record/sample-observations.fixture.ts';
import { watchRefusals } from './refusal-watch.ts';

const refusedBy = (status: number) => ({ outcome: refusedWith('Not here.', { status }) });

describe('the refusal check in the first step of a search', () => {
  it.each([
    [401, 'is the key right'],
    [403, 'may this key ask for these models'],
    [404, 'does the base address end in the gateway’s version, for example https://host/v1'],
  ])('gives up after ten responses that are all %i, and says so', (status, advice) => {
    const watch = watchRefusals();
    for (let answer = 1; answer < 10; answer += 1) watch.onObservation(refusedBy(status));
    expect(watch.findBreach(instant(1))).toBeNull();
    watch.onObservation(refusedBy(status));
    const sentence = expect.stringContaining(
      `The target refused every request: 10 × ${status} (“Not here.”): ${advice}`,
    );
    expect(watch.findBreach(instant(1))).toMatchObject({ at: 1, text: sentence });
    expect(watch.sentence()).toEqual(sentence);
  });

  it('continues if one request was answered, or refused for another reason', () => {
    for (const other of [sampleObservation(), refusedBy(503), refusedBy(400)]) {
      const watch = watchRefusals();
      const refused = Array.from({ length: 9 }, () => refusedBy(404));
      for (const seen of [refusedBy(404), other, ...refused]) watch.onObservation(seen);
      expect([watch.findBreach(instant(1)), watch.sentence()]).toEqual([null, null]);
    }
  });

  it('does not count what was never sent', () => {
    const watch = watchRefusals();
    watch.onObservation({ outcome: { kind: 'dropped', cause: 'run-ended' } });
    expect(watch.sentence()).toBeNull();
    watch.onObservation(refusedBy(404));
    watch.onObservation({ outcome: { kind: 'dropped', cause: 'run-ended' } });
    expect(watch.sentence()).toContain('1 × 404');
  });
});
