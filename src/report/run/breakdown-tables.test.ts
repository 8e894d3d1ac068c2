import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { breakdownBlocks, populationLines, targetLines } from './figures.ts';

const linesOf = (result: Result, width: number): string =>
  terminalText(
    {
      weir: '',
      title: '',
      description: [],
      verdict: null,
      introduction: [],
      footer: '',
      blocks: breakdownBlocks(result),
    },
    { colour: false, width },
  );

const whole = sampleRunResult();
const inOneStage: Result = {
  ...whole,
  groups: whole.groups.filter(({ labels }) => labels.stage === 'steady'),
};
/** The same run, with its rarer kinds in a separate stage. */
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
    "

    Breakdown by stage, after the warm-up
                       first p50    p95  end p50      p95  Arrivals  Completed     429
      steady
        chat-stream          170    305      712    1,025       443     99.5 %   0.0 %
      afterwards
        chat                   –      –     656*  ~1,293*        94     97.9 %   0.0 %
        speech              141*  ~328*     579*    ~833*        30     93.3 %   0.0 %
        transcription          –      –      948   ~1,211        24    100.0 %   0.0 %
        models                 –      –    ~6.39    ~18.9         9    100.0 %   0.0 %
      peak
        chat-stream         238*  ~859*     911*  ~1,546*       800     39.9 %  56.1 %"
  `);
});

it('keep the figures where there is little room', () => {
  expect(linesOf(inTwoStages, 60)).toMatchInlineSnapshot(`
    "

    Breakdown by stage, after the warm-up
      steady
        chat-stream: TTFT or First audio p50 170, TTFT or First
        audio p95 305, End to end p50 712, End to end p95 1,025,
        Arrivals 443, Completed 99.5 %, 429 0.0 %
      afterwards
        chat: End to end p50 656*, End to end p95 ~1,293*,
        Arrivals 94, Completed 97.9 %, 429 0.0 %
        speech: TTFT or First audio p50 141*, TTFT or First
        audio p95 ~328*, End to end p50 579*, End to end p95
        ~833*, Arrivals 30, Completed 93.3 %, 429 0.0 %
        transcription: End to end p50 948, End to end p95
        ~1,211, Arrivals 24, Completed 100.0 %, 429 0.0 %
        models: End to end p50 ~6.39, End to end p95 ~18.9,
        Arrivals 9, Completed 100.0 %, 429 0.0 %
      peak
        chat-stream: TTFT or First audio p50 238*, TTFT or First
        audio p95 ~859*, End to end p50 911*, End to end p95
        ~1,546*, Arrivals 800, Completed 39.9 %, 429 56.1 %"
  `);
});

it('are open by population on a page, and not repeated by stage where each population has one', () => {
  const populations = inTwoStages.groups.map((group) => ({
    ...group,
    labels: { ...group.labels, population: group.labels.stage },
  }));
  const plan = { ...inTwoStages.plan, populations: [] };
  const result = { ...inTwoStages, plan, groups: populations };
  const blocks = JSON.stringify(breakdownBlocks(result));
  expect(blocks.match(/(Breakdown )?by (population|stage)/gi)).toEqual([
    'By population',
    'Breakdown by population',
    'By population',
  ]);
  expect(JSON.stringify(breakdownBlocks(inTwoStages))).toContain('Breakdown by stage');
  expect(populationLines(result)).toMatchInlineSnapshot(`
    [
      "steady: chat-stream, 99.5 % of 443 completed, TTFT p95 305 ms",
      "afterwards: chat, 97.9 % of 94 completed, End to end p95 ~1,293* ms",
      "afterwards: speech, 93.3 % of 30 completed, First audio p95 ~328* ms",
      "afterwards: transcription, 100.0 % of 24 completed, End to end p95 ~1,211 ms",
      "afterwards: models, 100.0 % of 9 completed, End to end p95 ~18.9 ms",
      "peak: chat-stream, 39.9 % of 800 completed, TTFT p95 ~859* ms",
    ]
  `);
});

it('give each named target a line where populations share one, and name the target of each population', () => {
  const targetOf = (population: string): string => (population === 'peak' ? 'far' : 'near');
  const ofTargets = (name: (population: string) => string): Result => {
    const populations = ['steady', 'afterwards', 'peak'].map((each) => ({
      name: each,
      after: milliseconds(0),
      target: name(each),
    }));
    return {
      ...inTwoStages,
      plan: { ...inTwoStages.plan, populations } as Result['plan'],
      groups: inTwoStages.groups.map(({ labels, ...group }) => ({
        ...group,
        labels: { ...labels, population: labels.stage, target: name(labels.stage ?? '') },
      })),
    };
  };
  const shared = ofTargets(targetOf);
  expect(populationLines(shared).at(-1)).toMatch(/^peak → far: chat-stream, 39\.9 % of 800/);
  expect(targetLines(shared)[0]).toMatch(/^near: chat-stream, 99\.5 % of 443 completed/);
  expect(targetLines(shared).at(-1)).toMatch(/^far: chat-stream, 39\.9 % of 800 completed/);
  expect(targetLines(ofTargets((population) => `at-${population}`))).toEqual([]);
  expect(targetLines(inTwoStages)).toEqual([]);
});
