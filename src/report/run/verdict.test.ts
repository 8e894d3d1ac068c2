import { expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { invalidTrust, sampleSignal } from '../fixtures/sample-trust.fixture.ts';
import { markup } from '../text/markup.ts';
import { runIntroduction } from './verdict.ts';

const signal = (level: 'degraded' | 'invalid', name: string, advice: string | null) =>
  sampleSignal({ signal: name, level, observed: 'much', expected: 'little', advice });

it('the reasons why a load is not as planned stand by their weight, with what to do', () => {
  const evidence = [
    signal('degraded', 'clock', 'Set the clock.'),
    signal('invalid', 'sent rate', null),
    signal('degraded', 'canary', null),
    signal('invalid', 'start lag', 'Lower the rate.'),
  ];
  const blocks = runIntroduction(sampleRunResult(), { ...invalidTrust, evidence });
  const findings = JSON.stringify(blocks.filter((block) => block.kind !== 'picture'));
  expect(findings.match(/(?:degraded|invalid): [^"]*/g)).toEqual([
    'invalid: sent rate, much (healthy: little).',
    'invalid: start lag, much (healthy: little). Lower the rate.',
    'degraded: clock, much (healthy: little). Set the clock.',
    'degraded: canary, much (healthy: little).',
  ]);
  const pictures = blocks.flatMap((block) => (block.kind === 'picture' ? [block.html()] : []));
  expect(markup`${pictures}`.markup).toContain('What now: start lag: lower the rate; see ');
});
