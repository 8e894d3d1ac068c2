import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import { cleanUpAfterEach, tempFolder, weirProcess } from '../harness/weir-process.fixture.ts';
import { openStubbornServer, stubbornTokens } from './stubborn-server.fixture.ts';

cleanUpAfterEach();
// Each examination waits for streams of some seconds.
vi.setConfig({ testTimeout: 180_000 });

/** Returns what `weir check --only disconnects` found: the outcome of each check, and what was seen. */
const examined = async (target: string, ...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const check = ['check', '--only', 'disconnects', '--target', target, '--yes', '--out', out];
  const ended = await weirProcess([...check, ...words], { WEIR_API_KEY: 'k' });
  const output = `${ended.stdout}${ended.stderr}`;
  const { rows, spent } = JSON.parse(
    await readFile(join(out, 'check.json'), 'utf8'),
  ) as CheckReport;
  if (target === 'mock') {
    // A whole stream has 400 tokens; the budget is printed before.
    expect(spent.outputTokens).toBeGreaterThan(400);
    const [, most] = /at most ([\d,]+) tokens of chats/.exec(output) ?? [];
    expect(Number(most!.replaceAll(',', ''))).toBeGreaterThan(
      spent.inputTokens + spent.outputTokens,
    );
  }
  return Object.fromEntries(
    rows.map(({ id, outcome, name, observed }) => [
      id.replace('disconnect.', ''),
      { found: name ?? outcome, observed },
    ]),
  );
};

const foundBy = (seen: Awaited<ReturnType<typeof examined>>) =>
  Object.fromEntries(Object.entries(seen).map(([id, { found }]) => [id, found]));

const mock = (hangUps: string, ...more: readonly string[]) =>
  examined(
    'mock',
    ...[`hangUps=${hangUps}`, 'ttft=100ms', 'gap=10ms', 'limits.requestsPerMinute=none', ...more]
      .map((each) => ['--set', `mock.${each}`])
      .flat(),
  );

it.each([
  ['stop', [], { slot: 'pass', generation: 'pass', charge: 'pass' }],
  ['generate', [], { slot: 'pass', generation: 'generates-on', charge: 'pass' }],
  ['hold', [], { slot: 'slot-held', generation: 'generates-on', charge: 'pass' }],
  [
    'stop',
    ['limits.bugs=[hangUpWhole]'],
    { slot: 'pass', generation: 'pass', charge: 'charged-whole' },
  ],
  ['stop', ['limits.bugs=[hangUpFree]'], { slot: 'pass', generation: 'pass', charge: 'open' }],
] as const)(
  'weir check --only disconnects sees a gateway that does %s, with %j',
  async (hangUps, more, expected) => {
    const seen = await mock(hangUps, 'limits.inFlight=3', ...more);
    expect(foundBy(seen), JSON.stringify(seen)).toEqual(expected);
  },
);

it('what cannot be seen is unchecked: no cap, no limit headers, no metrics', async () => {
  const seen = await mock('stop', 'limits.tokensPerMinute=none', 'metrics=false');
  expect(foundBy(seen)).toEqual({
    slot: 'unchecked',
    generation: 'unchecked',
    charge: 'unchecked',
  });
  expect(seen['slot']!.observed).toContain('10 streams of the key ran at the same time');
});

it('a server that never stops is found out, and its log says the same', async () => {
  const { streams, url, close } = await openStubbornServer({ places: 2 });
  onTestFinished(close);
  const seen = await examined(url, '--set', 'server.metrics=/metrics');
  expect(foundBy(seen), JSON.stringify(seen)).toEqual({
    slot: 'slot-held',
    generation: 'generates-on',
    charge: 'unchecked',
  });
  const [, after] = /(\d+) tokens were counted/.exec(seen['generation']!.observed) ?? [];
  const [whole, left] = streams;
  expect(whole!.writtenWhenLeft).toBe(null);
  expect(left!.written).toBe(stubbornTokens);
  // The metrics are read a little before the hang-up, and a last time before the end.
  const afterwards = stubbornTokens - left!.writtenWhenLeft!;
  expect(Number(after)).toBeGreaterThan(0.7 * afterwards);
  expect(Number(after)).toBeLessThanOrEqual(afterwards + 5);
  // One more was hung up on to free a place; the one beside it may have ended.
  expect(
    streams.filter(({ writtenWhenLeft }) => writtenWhenLeft !== null).length,
  ).toBeGreaterThanOrEqual(2);
});
