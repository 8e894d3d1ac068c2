import { describe, expect, it } from 'vitest';
import { figuresSignalName } from '../../model/result/judged-figures.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  uncertainGap,
  validTrust,
} from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { displayWidth } from '../text/display-width.ts';
import { closingVerdict } from './closing-verdict.ts';

const result = sampleRunResult();
const style = (width: number) => ({ colour: false, width });
const closing = (changes: Partial<Result> = {}, trust: Trust = degradedTrust, exit = 0) =>
  closingVerdict(
    { ...result, ...changes },
    trust,
    { exit, folder: 'reports/1-quickstart' },
    style(100),
  );

const broken = (n: number) =>
  sampleVerdict({ text: `ttft.p95 < ${n}ms`, ruling: 'fail', grounds: 'broken' });

describe('the verdict that stands last', () => {
  it('says whether to trust the run, what became of objectives, and the exit code if it is not 0', () => {
    expect(closing({ failures: [] }, validTrust)).toMatch(/^✓ Load as planned\. /);
    expect(closing({ failures: [] }, degradedTrust)).toMatch(
      /^✓ Load as planned; 1 figure approximate\. .*chat-stream\sChunk\sgap\sp95 25\.3\sms\s\(up\sto\s1\.4\stoo\shigh\sor\s2\.8\stoo\slow\)\.\sWhy:\s`weir\sreport\sreports\/1-quickstart\s--details`\.\sWhat\snow:\sreports\/what-now\.md\.$/s,
    );
    const coarse = { ...degradedTrust, figures: [{ ...uncertainGap, high: 32 }] };
    expect(closing({ failures: [] }, coarse)).toMatch(
      /^! Load as planned; 1 figure approximate\. /,
    );
    expect(closing({ failures: [] }, invalidTrust, 12)).toMatch(
      /^✗ Exit 12\. Load not as planned\. /,
    );
    expect(closing({ failures: [], verdicts: [broken(1)] }, validTrust, 10)).toMatch(
      /^✗ Exit 10\. 0 of 1 objective kept, 1 broken\. Load as planned\. /,
    );
  });

  it('says first how many requests failed, and has no tick if no objective judges them', () => {
    const failed =
      /^492 of 1,600 requests failed, 449 of them alike: chat-stream limited, 429 rate_limit_exceeded\. /;
    expect(closing({}, validTrust)).toMatch(failed);
    // Failures of a load that was not as planned do not come first.
    expect(closing({}, invalidTrust, 12)).toMatch(/^✗ Exit 12\. Load not as planned\. /);
    const partial = 'since the first 20 requests were all refused';
    expect(closing({ partial }, validTrust, 3)).toMatch(
      /^✗ Exit 3\. Load as planned, partial\. The run stopped before its plan did: since the first 20/,
    );
    expect(closing({ verdicts: [broken(1)] }, validTrust, 10)).toMatch(
      /^✗ Exit 10\. 0 of 1 objective kept, 1 broken\. 492 of 1,600 requests failed/,
    );
    expect(closing({ verdicts: [sampleVerdict()] }, validTrust)).not.toContain('requests failed');
  });

  it('names broken objectives if nothing else is printed', () => {
    const verdicts = [...Array.from({ length: 5 }, (_, n) => broken(n + 1)), sampleVerdict()];
    const say = (isAlone: boolean): string =>
      closingVerdict(
        { ...result, verdicts },
        validTrust,
        { exit: 10, folder: 'f' },
        { ...style(1000), isAlone },
      );
    expect(say(false)).not.toContain('✗ ttft');
    expect(say(true)).toMatch(
      /kept, 5 broken\. ✗ ttft\.p95 < 1ms: [^✗]+\. ✗ ttft\.p95 < 2ms: [^✗]+\. ✗ ttft\.p95 < 3ms: [^✗]+$/,
    );
  });

  it('has at most three lines of whole sentences, and ends with what to read', () => {
    const partial = 'a reason that is very long. '.repeat(20);
    const lines = closing({ partial }, invalidTrust, 3).split('\n');
    expect(lines.length).toBeLessThanOrEqual(3);
    expect(lines.at(-1)).toMatch(/What now: reports\/what-now\.md\.$/);
    const ofGoodLoad = closing({ partial }, validTrust, 3);
    expect(ofGoodLoad).toMatch(/ More:\s`weir report\s\S+\s--details`\.$/);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(100);
    expect(lines.join(' ') + ofGoodLoad).not.toContain('…');
  });

  it.each([
    ['ttft.p95 < 800ms', /about ttft\.p95 < 800ms: the/],
    [`ttft.p95{model=${'a'.repeat(90)}} < 800ms`, /about 1 objective: the/],
  ])(
    'says first of a run that does not decide %s that it does not, why, and what to do',
    (text, about) => {
      const open = sampleVerdict({ text, ruling: 'inconclusive', grounds: 'within-error' });
      for (const width of [80, 100]) {
        const said = closingVerdict(
          { ...result, verdicts: [open] },
          {
            ...validTrust,
            evidence: [{ ...validTrust.evidence[0]!, signal: figuresSignalName, decides: true }],
          },
          { exit: 0, folder: 'reports/2026-11-27T16-24-07Z-gate' },
          style(width),
        );
        expect(said.split('\n').length).toBeLessThanOrEqual(3);
        const words = said.replaceAll(/\s/g, ' ');
        expect(words).toMatch(/^! 0 of 1 objective kept, 1 undecided\. This run decides nothing /);
        expect(words).toMatch(about);
        expect(words).toMatch(/What now: reports\/what-now\.md\.$/);
        expect(words).not.toContain('exact');
      }
    },
  );
});
