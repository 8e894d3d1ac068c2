import { expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { breakdownLines } from './breakdown-lines.ts';
import { terminalLayout } from './terminal-layout.ts';

const linesOf = (result: Result, width: number): string =>
  breakdownLines(terminalLayout({ colour: false, width }), result, 'stage').join('\n');

const whole = sampleRunResult();
const inOneStage: Result = {
  ...whole,
  groups: whole.groups.filter(({ labels }) => labels.stage === 'steady'),
};
/** The same run, its rarer kinds in a stage of their own. */
const inTwoStages: Result = {
  ...whole,
  groups: whole.groups.map((group) =>
    group.labels.traffic === 'chat-stream'
      ? group
      : { ...group, labels: { ...group.labels, stage: 'afterwards' } },
  ),
};

it('say nothing of a run that had one stage', () => {
  expect(linesOf(inOneStage, 100)).toBe('');
});

it('give each stage and kind a line with its first figure and its failures', () => {
  expect(linesOf(inTwoStages, 100)).toMatchInlineSnapshot(`
    "  stage       kind           in ms          p50     p95  arrivals  completed     429
      steady      chat-stream    TTFT           170     305       443     99.5 %   0.0 %
      afterwards  chat           End to end     656  ~1,293        94     97.9 %   0.0 %
                  speech         First audio    141    ~328        30     93.3 %   0.0 %
                  transcription  End to end     948  ~1,211        24    100.0 %   0.0 %
                  models         End to end   ~6.39   ~18.9         9    100.0 %   0.0 %
      peak        chat-stream    TTFT           238     859       800     39.9 %  56.1 %"
  `);
});

it('keep the figures where there is little room', () => {
  expect(linesOf(inTwoStages, 60)).toMatchInlineSnapshot(`
    "  stage     kind           in ms          p50     p95
      steady    chat-stream    TTFT           170     305
      afterwa…  chat           End to end     656  ~1,293
                speech         First audio    141    ~328
                transcription  End to end     948  ~1,211
                models         End to end   ~6.39   ~18.9
      peak      chat-stream    TTFT           238     859"
  `);
});
