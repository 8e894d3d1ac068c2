import { describe, expect, it } from 'vitest';
import { type Noise, noiseSchema } from '../model/noise.ts';
import { hostileText } from '../../../report/fixtures/sample-answers.fixture.ts';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { type TerminalStyle, terminalText } from '../../../report/document/terminal-writer.ts';
import { noiseDocument } from './noise-document.ts';

const noiseTerminal = (each: Noise, style: TerminalStyle) =>
  terminalText(noiseDocument(each), style);

const look = { colour: false, width: 120 };

const metric = (differing: Partial<Noise['metrics'][number]> = {}): Noise['metrics'][number] => ({
  id: 'chat-stream ttft.p50',
  label: 'TTFT p50',
  unit: 'ms',
  scale: 'ratio',
  gated: true,
  typical: 202,
  noise: 0.05,
  change: 1.01,
  low: 0.95,
  high: 1.07,
  least: 1.1,
  needed: 12,
  detectable: [
    { repetitions: 5, change: 1.19 },
    { repetitions: 10, change: 1.12 },
    { repetitions: 20, change: 1.1 },
  ],
  ...differing,
});

const noise = (metrics: Noise['metrics'], differing: Partial<Noise> = {}): Noise =>
  noiseSchema.parse({
    format: 'noise/1',
    weir: '0.1.0',
    measuredAt: '2026-07-01T10:20:30.000Z',
    plan: hostileText,
    planHash: 'a'.repeat(64),
    target: 'mock',
    runs: ['a', 'b', 'c', 'd'],
    overridden: [],
    cautions: [],
    verdict: 'inconclusive',
    metrics,
    ...differing,
  });

describe('the noise of an environment', () => {
  it('is described by the metric that needs the most repetitions', () => {
    const text = noiseTerminal(noise([metric({ id: 'quiet', needed: 5 }), metric()]), look);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Of 2 gated latencies and throughputs, chat-stream ttft.p50 is the noisiest (5.0 % from run to run). Nine times in ten it detects a change of ±19.0 % with 5, ±12.0 % with 10, ±10.0 % with 20 repetitions per side.',
    );
  });

  it('says so if the fewest repetitions are enough', () => {
    const text = noiseTerminal(noise([metric({ needed: 5 })], { verdict: 'same' }), {
      ...look,
      width: 900,
    });
    expect(text).toContain(
      '5 repetitions per side detect the minimum effect of 1 gated latency or throughput nine times in ten. The two halves are the same.',
    );
  });

  it('warns if the halves differ although nothing changed', () => {
    const text = noiseTerminal(noise([metric()], { verdict: 'regression' }), {
      ...look,
      width: 900,
    });
    expect(text).toContain('this environment is not steady enough');
  });

  it('gives shares of failures in points, and caps the number of repetitions', () => {
    const share = metric({
      id: 'errors',
      unit: '%',
      scale: 'difference',
      noise: null,
      typical: 0.01,
      change: 0.001,
      low: -0.004,
      high: 0.006,
      least: 0.005,
      needed: null,
      detectable: [{ repetitions: 5, change: 0.02 }],
    });
    const text = noiseTerminal(noise([metric(), share]), look);
    expect(text).toMatch(/errors % +1\.00 +– +\+0\.1 pt \[−0\.4, \+0\.6\] +±2\.0 pt +– +– +>1,000/);
  });

  it('is a table in Markdown in which hostile names are text', () => {
    const text = markdownText(noiseDocument(noise([metric()])));
    expect(text).toMatch(/^## Weir: Noise of /);
    expect(text).toContain('| chat-stream ttft.p50 ms | 202 | 5.0 % |');
    expect(text).not.toContain('<img');
  });
});
