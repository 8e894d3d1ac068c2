import { expect, it } from 'vitest';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { runOnce } from './run.ts';
import { insideKeys, insideScenario } from './runs-inside.fixture.ts';

it('a run that is stopped while it opens sends nothing, and no longer listens to its host', async () => {
  const fake = fakeHost(insideKeys);
  const load = { kind: 'constant', rate: '40/s', duration: '500ms' };
  const request = runRequest({ ...insideScenario, load }, 'http://127.0.0.1:9/v1');
  const running = runOnce(request, fake.host);
  fake.stop('SIGINT');
  await expect(running).rejects.toThrow('stopped by SIGINT before the load began');
  fake.stop('SIGINT');
  expect(fake.said).toEqual([]);
});
