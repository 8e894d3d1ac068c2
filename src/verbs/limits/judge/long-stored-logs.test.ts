// @gate 1 s
import { expect, it } from 'vitest';
import { judgeLimits } from './judge-limits.ts';
import { storedLog } from './stored-log.fixture.ts';

it('a window that is a fifth too long is a violation, even if the machine stalled meanwhile', () => {
  const { verdict, identification } = judgeLimits(storedLog('limits-moving-stalled'));
  expect(verdict).toBe('violated');
  expect(identification.best).toMatchObject({ limiter: 'sliding-log', limit: { value: 20 } });
  expect(identification.best?.window.least).toBeGreaterThan(11_000);
  expect(identification.best?.window.most).toBeLessThan(13_000);
});
