// @long 90 s
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { weir } from '../../acceptance/harness/weir-command.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { RecoveryReport } from '../../verbs/recovery/model/recovery-report.ts';
import { startHaproxy } from '../harness/debian-proxies.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 400_000 });

/** Its queue serves whom it has queued, even if the client has gone: four at once, each for 50 ms. */
const served = 4 / 0.05;
const [rate, attempts] = [24, 5];

it('says of HAProxy’s queue what the arithmetic says, and counts as its log does', async (context) => {
  const folder = await tempFolder();
  const log = join(folder, 'haproxy.log');
  const options = { port: await freePort(), folder, log };
  const proxy = await orSkip(context, () =>
    startBeforeGateway(
      (gateway) => startHaproxy(options, `${gateway} maxconn 4`, '  timeout queue 600s'),
      { ttft: milliseconds(50), gap: milliseconds(0) },
    ),
  );
  try {
    const scenario = join(folder, 'storm.json');
    const load = { kind: 'poisson', rate: `${rate}/s`, duration: '10s' };
    const on = ['limited', 'server-error', 'connect', 'unanswered'];
    await writeFile(
      scenario,
      JSON.stringify({
        target: proxy.url,
        keys: '${env:KEY}',
        traffic: [{ kind: 'chat', model: 'proving/small', prompt: 'hi', maxTokens: 1 }],
        load,
        retry: { attempts, base: '200ms', cap: '1s', on },
        deadlines: { firstToken: '1s' },
        limits: 'none',
      }),
    );
    const phases = '--base 10s --overload 4s --watch 20s --pause 12s --times 6';
    const words = `recovery ${scenario} --yes --policies none,backoff ${phases} --out ${folder}/out`;
    const { code } = await weir(words.split(' '), { KEY: provingKeys[0] });
    const text = await readFile(join(folder, 'out', 'recovery.json'), 'utf8');
    const { policies, spent } = JSON.parse(text) as RecoveryReport;
    const [none, backoff] = policies;
    // A busy machine makes the load invalid, and then nothing is said.
    if (none!.reason === 'invalid') return context.skip('the load was not as planned');
    expect(rate).toBeLessThan(served);
    expect(none).toMatchObject({ state: 'back' });
    expect(rate * attempts).toBeGreaterThan(served);
    expect(backoff).toMatchObject({ state: 'kept' });
    expect(code).toBe(10);
    // Requests that still wait in its queue are not logged yet.
    const logged = (await readFile(log, 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('POST'));
    expect(logged.length).toBeGreaterThan(served * 30);
    expect(logged.length).toBeLessThanOrEqual(spent.requests);
  } finally {
    await proxy.stop();
  }
});
