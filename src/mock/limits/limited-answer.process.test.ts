import http from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';

it('of five hundred concurrent requests over real sockets exactly the limit is admitted, each with a different remaining count', async () => {
  const { get } = await startManualMock({ limits: {}, ttft: 0, gap: 0 });
  const responses = await Promise.all(
    Array.from({ length: 500 }, () => get('/models', testKeyHeaders)),
  );
  const admitted = responses.filter(({ status }) => status === 200);
  const rests = admitted.map(({ headers }) =>
    headers.get('x-ratelimit-api_key-remaining-requests'),
  );
  expect(rests.map(Number).toSorted((a, b) => b - a)).toEqual(
    Array.from({ length: 60 }, (_, i) => 59 - i),
  );
});

it('each connection stays with its worker, if workers do not take turns', async () => {
  const limits = { requestsPerMinute: 2, workers: 2, workersBy: 'connections' } as const;
  const { mock } = await startManualMock({ limits });
  const statusOn = (agent: http.Agent): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const request = http.get(`${mock.url}/models`, { agent, headers: testKeyHeaders });
      request.on('error', reject);
      request.on('response', (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
    });
  const agents = [0, 1, 2].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
  });
  const statuses: (number | undefined)[][] = [];
  for (const agent of agents) {
    const own: (number | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) own.push(await statusOn(agent));
    statuses.push(own);
  }
  expect(statuses).toEqual([
    [200, 200, 429],
    [200, 200, 429],
    [429, 429, 429],
  ]);
});
