// @gate 1 s
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  compliantLimiters,
  examineVirtually,
  faultyLimiters,
} from '../../verbs/limits/experiment/tokens/virtual-limiters.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

cleanUpAfterEach();

const origin = {
  weir: '0.0.0',
  target: 'http://127.0.0.1/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  model: 'weir/small',
  took: 70_000,
};

const fixedWindow = compliantLimiters['fixed window on a grid, charged at the end']!;

/** Writes the findings of both examinations, as `weir limits` saves them. */
const savedFindings = async (tokenLimiter = fixedWindow): Promise<string> => {
  const folder = join(await tempFolder(), 'findings');
  await mkdir(folder);
  const { log, judgement } = await examineSimulatedGateway(
    { limits: { requestsPerMinute: 20, window: 10_000 }, seed: 2, roundTrip: [10, 40] },
    { requests: 20, window: 10_000 },
  );
  const tokens = await examineVirtually(tokenLimiter, 7919, { hasSmallBucket: false });
  const reports = {
    'limits.json': { format: 'limits/1', ...origin, log, judgement },
    'token-limits.json': {
      format: 'token-limits/1',
      ...origin,
      log: tokens.log,
      findings: tokens.findings,
    },
  };
  for (const [name, report] of Object.entries(reports))
    await writeFile(join(folder, name), JSON.stringify(report));
  return folder;
};

it('weir report says in one sentence what saved findings show of both limits', async () => {
  const folder = await savedFindings();
  const { code, stdout, stderr } = await weir(['report', folder], {});
  expect(code, stdout + stderr).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /^✓ 20 requests in 10 s and 2,000,000 tokens a minute are kept; .*streams are charged at their end/,
  );
  const page = await readFile(join(folder, 'limits.html'), 'utf8');
  for (const part of ['Charges', 'Bursts', 'Use of tokens', 'Limiter', 'Claims'])
    expect(page).toContain(`>${part}</h2>`);
});

it('a pace learns from saved findings when tokens are charged', async () => {
  const folder = await savedFindings();
  const scenario = join(folder, '..', 'paced.yaml');
  const chat = 'traffic: [{kind: chat, model: m, prompt: Hi, maxTokens: 9}]\n';
  const load = 'load: {kind: constant, rate: 1/s, duration: 3s}\n';
  await writeFile(scenario, `${chat}${load}pace: {charged: {file: findings}}\n`);
  const valid = await weir(['validate', scenario], {});
  expect(valid.code, valid.stdout + valid.stderr).toBe(0);
  await writeFile(join(folder, 'token-limits.json'), '{"format": "token-limits/1"}');
  const damaged = await weir(['validate', scenario], {});
  expect([damaged.code, damaged.stdout + damaged.stderr]).toEqual([
    2,
    expect.stringContaining('findings: expected the token-limits.json of this version'),
  ]);
});

it('weir report of findings has the gravest exit code, and refuses what is not a file of findings', async () => {
  const folder = await savedFindings(faultyLimiters['never enforced']);
  const violated = await weir(['report', join(folder, 'token-limits.json')], {});
  expect(violated.code, violated.stdout + violated.stderr).toBe(14);
  const sound = await readFile(join(folder, 'limits.json'), 'utf8');
  await writeFile(join(folder, 'limits.json'), '{"format": "limits/1"}');
  const damaged = await weir(['report', folder], {});
  expect([damaged.code, damaged.stderr]).toEqual([
    2,
    expect.stringContaining('were written by another version of Weir or changed since'),
  ]);
  // What only a drawing reads, and levels that end the stack of what writes them.
  const { log, ...rest } = JSON.parse(sound);
  const [reply] = log.replies;
  const odd = {
    ...log,
    replies: [{ ...reply, headers: { told: {} }, told: {}, limits: {} }, ...log.replies.slice(1)],
  };
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  for (const text of [
    JSON.stringify({ ...rest, log: odd }),
    sound.replace('"model":"weir/small"', `"model":${deep}`),
  ]) {
    await writeFile(join(folder, 'limits.json'), text);
    const { code, stderr } = await weir(['report', folder], {});
    if (code !== 14)
      expect([code, stderr]).toEqual([2, expect.not.stringMatching(/Error|a bug in Weir/)]);
  }
  // The first shows in a text, the second in a drawing only.
  const replies = [{ ...reply, sent: {} }, ...log.replies.slice(1)];
  for (const wrong of [{ unanswered: {} }, { replies }]) {
    const uncounted = JSON.stringify({ ...rest, log: { ...log, ...wrong } });
    await writeFile(join(folder, 'limits.json'), uncounted);
    const { code, stdout, stderr } = await weir(['report', folder], {});
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('were written by another version of Weir or changed since');
  }
  await writeFile(join(folder, 'limits.json'), '{');
  expect((await weir(['report', folder], {})).stderr).toContain('has no findings of `weir limits`');
});

it('weir report of findings says which pace suits a gateway that charges when a request is sent', async () => {
  const atStart = compliantLimiters['sliding log, prompt at the start, answer at the end'];
  const reports = [await savedFindings(atStart), await savedFindings()].map((folder) =>
    weir(['report', folder], {}),
  );
  const texts = (await Promise.all(reports)).map(({ stdout }) => stdout.replaceAll(/\s+/g, ' '));
  expect(texts.map((text) => text.includes('prompts are charged when a request is sent'))).toEqual([
    true,
    false,
  ]);
  expect(texts).toEqual([
    expect.stringContaining(
      'Pace: `charged: {file: token-limits.json}` waits as these charges need: prompts are charged on admission, answers by',
    ),
    expect.stringContaining('as these charges need: tokens are charged by'),
  ]);
});
