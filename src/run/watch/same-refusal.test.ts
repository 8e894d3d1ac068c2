import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import { endOnSameRefusal } from './same-refusal.ts';

const refused = (index: number, status = 404, code: string | null = 'model_not_found') =>
  sampleObservation({
    index,
    outcome: {
      kind: 'refused',
      refusal: { status, form: 'error', type: null, code, message: `No model, id ${index}` },
    },
  });

const firstTwenty = (make: (index: number) => Observation = refused): Observation[] =>
  Array.from({ length: 20 }, (_, index) => make(index));

const found = (observations: readonly Observation[], by: true | 'always' = true): string | null => {
  const watch = endOnSameRefusal(by);
  for (const observation of observations) watch.onObservation?.(observation);
  return watch.findRefusal?.() ?? null;
};

describe('the first requests of a run', () => {
  it('end it if all of them were refused alike, in whatever order they were answered', () => {
    const sentence = 'the first 20 requests were all refused with 404 model_not_found: No model';
    fc.assert(
      fc.property(fc.shuffledSubarray(firstTwenty(), { minLength: 20 }), (observations) => {
        expect(found(observations)).toContain(sentence);
      }),
    );
  });

  it('end it with the option that prevents it, if the caller has one', () => {
    const [withOption, without] = [found(firstTwenty()), found(firstTwenty(), 'always')];
    expect(withOption).toBe(`${without}; --no-early-stop sends the whole load`);
  });

  it('do not end it while one of them is still without an answer', () => {
    expect(found([...firstTwenty().slice(1), ...[20, 21, 22].map((n) => refused(n))])).toBeNull();
  });

  it.each([
    ['one succeeded', (i: number) => (i === 7 ? sampleObservation({ index: 7 }) : refused(i))],
    ['one was refused for another reason', (i: number) => refused(i, 404, i === 7 ? 'x' : 'y')],
    ['a server was not able to answer', (i: number) => refused(i, 503)],
    ['the key may try again', (i: number) => refused(i, 409)],
    ['they belong to a later stage', (i: number) => ({ ...refused(i), stage: 1 })],
  ])('do not end it if %s', (_, make) => {
    expect(found(firstTwenty(make))).toBeNull();
  });
});
