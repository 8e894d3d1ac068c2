import { sampleRequest } from './sample-request.fixture.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSeconds,
} from '../../judge/sample-result.fixture.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type CapacityRequest } from './capacity-request.ts';
import { findTargetCapacity } from './capacity.ts';
import { capacityReportSchema } from './model/capacity.ts';

const noLimits = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };

/** Each stage of a stored result lasts so many seconds. */
const seconds = 12;

/** A result of stages of these rates, of which the gateway completes at most `most` in a second. */
const resultOf = (
  rates: readonly number[],
  most: number,
  { plan, ...changes }: Omit<Partial<Result>, 'plan'> & { readonly plan?: Partial<Plan> } = {},
): Result => {
  const sample = samplePlan({ warmUp: milliseconds(0), limits: noLimits, ...plan });
  const [{ traffic }] = sample.stages as [(typeof sample.stages)[number]];
  const stages = rates.map((rate) => ({
    name: `at ${rate}`,
    load: {
      kind: 'open' as const,
      curve: [
        { from: perSecond(rate), to: perSecond(rate), duration: milliseconds(seconds * 1000) },
      ],
      spacing: 'even' as const,
    },
    traffic,
  }));
  const endToEnd = (rate: number) => {
    const histogram = emptyHistogram();
    for (let n = 0; n < rate * seconds; n += 1) histogram.record(400 + n);
    return histogram.toJSON();
  };
  const lags = rates.flatMap((rate) =>
    Array.from({ length: seconds }, () => Array.from({ length: rate }, () => 0.3)),
  );
  const whole = healthyResult({
    lags,
    plan: { ...sample, stages },
    scheduled: milliseconds(seconds * rates.length * 1000),
    slices: [sampleJudgedSlice(sampleSeconds(lags.map(() => ({}))))],
    groups: rates.map((rate) =>
      sampleGroup(rate * seconds, {
        labels: {
          traffic: 'chat',
          model: 'm',
          key: 'main',
          stage: `at ${rate}`,
          warmUp: false,
        },
        outcomes: { ...emptyOutcomeCounts(), completed: rate * seconds },
        distributions: { endToEnd: endToEnd(rate) },
      }),
    ),
    ...changes,
  });
  const timeline = whole.timeline.map((second) => {
    const completed = Math.min(most, second.begun);
    return { ...second, ended: completed, outcomes: { ...second.outcomes, completed } };
  });
  return { ...whole, timeline };
};

const folderOf = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-capacity-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

/** Answers from stored results. */
const answer = async (results: readonly Result[], given: Partial<CapacityRequest> = {}) => {
  const folder = await folderOf();
  const files = results.map((_, n) => join(folder, `${n + 1}.json`));
  for (const [n, result] of results.entries()) await writeFile(files[n]!, JSON.stringify(result));
  const { host, printed, said } = fakeHost({ WEIR_HISTORY: 'off' });
  const out = join(folder, 'out');
  const exit = await findTargetCapacity({ ...sampleRequest, from: files, out, ...given }, host);
  const stored: unknown = JSON.parse(await readFile(join(out, 'capacity.json'), 'utf8'));
  expect(JSON.parse(printed.at(-1)!.json!)).toEqual(stored);
  return { exit, files, said, report: capacityReportSchema.parse(stored) };
};

describe('weir capacity, from stored results,', () => {
  it('answers from the stages of a run, of which the last was too much', async () => {
    const { exit, report } = await answer([resultOf([5, 10, 20], 12)], {
      think: '30s',
      precision: '7%',
    });
    expect(exit).toBe('pass');
    const { weir: _, judgedAt: __, ...others } = report;
    expect(others).toMatchSnapshot();
  });

  it('names the steps of several runs by their files, and says that they are of two addresses', async () => {
    const other = resultOf([10], 100, { baseUrl: 'http://127.0.0.1:9/v1' });
    const { report, files } = await answer([resultOf([5], 100), other]);
    expect(report.steps.map(({ name }) => name)).toEqual([`${files[0]} at 5`, `${files[1]} at 10`]);
    expect(report.notes).toEqual(['The results are of more than one address.']);
    expect(report.terms).toMatchObject({ start: 5, top: 10 });
  });

  // The sample plan has two keys, and the gateway keeps 10/s.
  it.each([
    [300, 300, []],
    [
      299,
      null,
      [
        'The gateway kept 10.0/s, more than the limit of 299 requests a minute for each key in the stored plan, so this limit does not count.',
      ],
    ],
  ])('takes a limit of %i a minute in the stored plan for %s', async (given, taken, notes) => {
    const limits = { ...noLimits, requestsPerMinute: given };
    const { report } = await answer([resultOf([5, 10], 100, { plan: { limits } })]);
    expect(report.steps.map(({ verdict }) => verdict)).toEqual(['kept', 'kept']);
    expect([report.terms.requestsPerMinute, report.notes]).toEqual([taken, notes]);
  });

  it('has the exit of an objective if no stage is kept, and finds nothing in too short ones', async () => {
    const { exit, report } = await answer([resultOf([10, 20], 5)]);
    expect([exit, report.answer]).toEqual(['objective', null]);
    const short = resultOf([10], 100);
    const [stage] = short.plan.stages;
    const curve = [{ from: perSecond(1), to: perSecond(10), duration: milliseconds(12_000) }];
    const rising = { ...stage!, load: { kind: 'open' as const, curve, spacing: 'even' as const } };
    await expect(answer([{ ...short, plan: { ...short.plan, stages: [rising] } }])).rejects.toThrow(
      'these results have no stage of constant rate that lasts six seconds or more',
    );
  });
});

describe('weir capacity, of a target,', () => {
  const value = {
    name: 'searched',
    traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
    load: { kind: 'constant', rate: '5/s', duration: '10s' },
    limits: 'none',
    canary: false,
    warmUp: '0s',
  };
  const search = async (changes: object = {}, given: Partial<CapacityRequest> = {}) => {
    const server = await startAnswering(() => [
      200,
      '{"object":"list","data":[{"id":"m","object":"model"}]}',
    ]);
    onTestFinished(() => server.close());
    const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
    const target = `${server.origin}/v1`;
    const source = {
      scenario: undefined,
      value: { ...value, ...changes },
      flags: {},
      set: [],
      target,
    };
    const out = join(await folderOf(), 'out');
    const exit = findTargetCapacity({ ...sampleRequest, source, out, ...given }, fake.host);
    return { ...fake, exit, target };
  };

  it('says its budget, and sends nothing without a yes', async () => {
    const { exit, said, target } = await search({}, { top: '64/s', requests: '4000' });
    await expect(exit).rejects.toThrow('this budget needs a confirmation');
    expect(said.map((line) => line.replace(target, 'TARGET'))).toMatchSnapshot();
  });

  const rising = { kind: 'ramping', from: '1/s', steps: [{ to: '9/s', over: '9s' }] };
  it.each([
    [
      {
        load: undefined,
        populations: [
          { name: 'a', load: value.load },
          { name: 'b', load: rising },
        ],
      },
      'populations: a search sends one mix of requests at one rate. Give the scenario one load, or run its populations with weir run',
    ],
    [{ workers: 2 }, 'weir capacity sends each of its steps from one thread'],
    [
      { objectives: ['errorRate < 5%'], until: 'decided', atMost: '1m' },
      'weir capacity chooses the length of its steps itself',
    ],
  ])('refuses %j', async (changes, message) => {
    await expect((await search(changes)).exit).rejects.toThrow(message);
  });
});
