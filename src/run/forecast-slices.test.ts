import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { sampleFacts } from '../record/sample-facts.fixture.ts';
import { answeredChat } from '../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../record/tally.ts';
import {
  sampleCalibration,
  sampleCalibrationCell,
} from '../verbs/calibrate/report/sample-calibration.fixture.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { printForecast } from './forecast.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-forecast-'));
afterAll(() => rmSync(home, { recursive: true }));
const environment = { WEIR_HISTORY: join(home, 'history.db') };

const scenario = {
  name: 'forecast',
  target: 'mock',
  traffic: [{ kind: 'chat-stream', model: 'weir/small', prompt: 'one', maxTokens: 100 }],
  load: { kind: 'constant', rate: '500/s', duration: '10s' },
};
const forecast = async (
  request: Partial<Parameters<typeof printForecast>[0]>,
  { changes = {}, place = environment }: { changes?: object; place?: Record<string, string> } = {},
) => {
  const { host, printed } = fakeHost(place);
  const value = { ...scenario, ...changes };
  const source = { scenario: undefined, value, flags: {}, set: [], target: undefined };
  await printForecast({ source, answerTime: undefined, slices: undefined, ...request }, host);
  return JSON.parse(printed[0]!.json!) as {
    slices: { slices: number; streams: number; basis: object | null } | null;
    cachedShares?: readonly object[];
  };
};
const calibrate = (...cells: readonly Parameters<typeof sampleCalibrationCell>[0][]): void =>
  writeFileSync(
    join(home, 'calibration.json'),
    JSON.stringify(sampleCalibration({ cells: cells.map(sampleCalibrationCell) })),
  );

describe('the number of slices', () => {
  it('is what this machine’s calibration needs for the load', async () => {
    const cell = { transport: 'socket' as const, streams: 200, tokensPerSecond: 1000 };
    calibrate({ ...cell, transport: 'undici' }, cell);
    // 500 answers a second that take 2 s each are 1,000 streams, five times those of the calibration.
    const { slices } = await forecast({ slices: 'auto', answerTime: '2s' });
    expect(slices).toMatchObject({ slices: 5, streams: 200 });
    expect(slices?.basis).toEqual({
      streams: 200,
      tokensPerSecond: 1000,
      workers: 1,
      isValid: true,
    });
    expect((await forecast({ slices: 4, answerTime: '2s' })).slices).toMatchObject({
      slices: 4,
      streams: 250,
      basis: null,
    });
  });

  it('cannot be found where every calibrated load was invalid, or of another kind', async () => {
    calibrate({ trust: 'invalid', workers: 2 }, { trust: 'invalid' });
    const problem = (load: string) =>
      `--slices auto: with the transport ${load} every load of this machine’s calibration was invalid, or there was none: calibrate again on an idle machine, or give their number`;
    for (const [changes, load] of [
      [{}, 'socket and 1 worker'],
      [{ workers: 2 }, 'socket and 2 workers'],
      [{ workers: 'auto' }, 'socket'],
      [{ transport: 'undici' }, 'undici and 1 worker'],
    ] as const)
      await expect(forecast({ slices: 'auto' }, { changes })).rejects.toThrow(problem(load));
  });

  it('cannot be found without a calibration', async () => {
    const message =
      '--slices auto: this machine is not calibrated: run `weir calibrate` first, on a machine like those of the slices, or give their number';
    for (const place of [{ WEIR_HISTORY: join(home, 'none', 'h.db') }, { WEIR_HISTORY: 'off' }])
      await expect(forecast({ slices: 'auto' }, { place })).rejects.toThrow(message);
  });
});

describe('the cached shares of a forecast', () => {
  /** A result of two chats with ten prompt tokens each, of which this many came from a cache. */
  const put = (name: string, cached: number | null): string => {
    const tally = emptyTally(samplePlan());
    for (const due of [3000, 4000]) {
      const chat = answeredChat(due, 100);
      if (chat.outcome.kind !== 'completed' || chat.outcome.answer.kind !== 'chat')
        throw new Error('the sample is an answered chat');
      const { answer } = chat.outcome;
      const tokens = { ...answer.tokens, ...(cached === null ? {} : { cached }) };
      const outcome = { kind: 'completed' as const, answer: { ...answer, tokens } };
      recordObservation(tally, { ...chat, outcome });
    }
    const file = join(home, name);
    writeFileSync(file, JSON.stringify(toResult(tally, sampleFacts([{ index: 0, count: 1 }]))));
    return file;
  };

  it('are those of an earlier result, if its answers report any', async () => {
    const { cachedShares } = await forecast({ like: put('cached.json', 4) });
    expect(cachedShares).toEqual([
      { traffic: 'chat', model: 'publisher/model-8b', cached: 0.4, written: 0, answers: 2 },
    ]);
    const silent = put('silent.json', null);
    await expect(forecast({ like: silent })).rejects.toThrow(
      `--like: no answer in ${silent} reports cached tokens: give a result of a server whose usage has them, or leave --like out`,
    );
    expect(await forecast({})).not.toHaveProperty('cachedShares');
  });
});
