import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { figuresSignalName } from '../../model/result/judged-figures.ts';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSeconds,
} from '../sample-result.fixture.ts';
import { judgeTrust } from './judge-trust.ts';

const repeated = <T>(value: T, length: number): readonly T[] => Array.from({ length }, () => value);

describe('the headline figures', () => {
  const ttft = emptyHistogram();
  const none = emptyHistogram();
  for (let i = 0; i < 1200; i += 1) {
    ttft.record(20);
    none.record(0);
  }
  const groups = [
    sampleGroup(0, {
      labels: { traffic: 'chat-stream', model: 'm', key: 'k', stage: 's', warmUp: false },
      distributions: { ttft: ttft.toJSON() },
      delays: { first: none.toJSON() },
    }),
  ];

  it.each([
    [0.5, 0.3, 'valid', 'small in all 2 headline figures'],
    [4, 0.3, 'degraded', '2 of 2 headline figures are approximate: chat-stream TTFT p50 of 20 ms'],
    [900, 0.3, 'degraded', '2 of 2 headline figures are unknown: chat-stream TTFT p50 of 20 ms'],
    [900, 150, 'invalid', '2 of 2 headline figures are unknown: '],
  ] as const)(
    'that can be %d ms too high in a load whose starts are %d ms late make it %s',
    (late, lag, level, observed) => {
      const samples = repeated({ delayP99: late, delayMax: late }, 30);
      const { level: found, evidence } = judgeTrust(
        healthyResult({
          slices: [sampleJudgedSlice(sampleSeconds(samples))],
          lags: repeated(repeated(lag, 40), 30),
          groups,
        }),
      );
      expect(found).toBe(level);
      const judged = evidence.find(({ signal }) => signal === figuresSignalName);
      expect(judged?.observed).toContain(observed);
    },
  );
});
