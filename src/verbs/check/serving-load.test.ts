import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { readyTarget } from '../../run/target/ready-target.fixture.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';
import { openServingLoad } from './serving-load.ts';

/** A server of metrics; returns what a check reads of its load, and the paths that it was asked for. */
const readLoad = async (
  text: string,
  server: Plan['server'] | 'none' = { metrics: '/figures' } as Plan['server'],
  { status = 200, ...changes }: Partial<ReadyTarget> & { readonly status?: number } = {},
) => {
  const asked: string[] = [];
  const listener = http.createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers['user-agent']?.split('/')[0]}`);
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => listener.closeAllConnections());
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const target = readyTarget(`http://127.0.0.1:${port}/v1`, changes);
  const plan = samplePlan(server === 'none' ? {} : { server });
  const { load, close } = openServingLoad(plan, target);
  const found = await load();
  await close();
  return { found, asked };
};

it('the load of a server is the sum of its series, from the address of the scenario', async () => {
  const { found, asked } = await readLoad(`# HELP vllm:num_requests_running Requests.
vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 4
vllm:num_requests_waiting 50
vllm:generation_tokens_total{engine="0"} 100
vllm:generation_tokens_total{engine="1"} 20
vllm:prompt_tokens_total 7000
`);
  expect(found).toEqual({ running: 7, outputTokens: 120 });
  expect(asked).toEqual(['/figures weir']);
});

it('a server that runs nothing has a load of zero, and one may count no tokens', async () => {
  expect((await readLoad('tgi_batch_current_size 0\n')).found).toEqual({
    running: 0,
    outputTokens: null,
  });
});

it('a part of another series is left out', async () => {
  const { found } = await readLoad(`sglang:num_running_reqs{model="m"} 5
sglang:num_running_reqs{model="m",priority="1"} 2
sglang:num_running_reqs{model="n",priority=""} 3
sglang:generation_tokens_total 9
`);
  expect(found).toEqual({ running: 8, outputTokens: 9 });
});

it.each([
  ['an error', 'vllm:num_requests_running 3\n', 500],
  ['no metric of running requests', 'vllm:generation_tokens_total 3\n', 200],
  ['no metrics', '', 200],
])('a server with %s says nothing of its load', async (_, text, status) => {
  expect((await readLoad(text, undefined, { status })).found).toBe(null);
});

it('only the mock is asked where no scenario names an address', async () => {
  const text = 'vllm:num_requests_running 3\n';
  expect(await readLoad(text, 'none')).toEqual({ found: null, asked: [] });
  const mock = {} as ReadyTarget['mock'];
  expect(await readLoad(text, 'none', { mock })).toEqual({
    found: { running: 3, outputTokens: null },
    asked: ['/metrics weir'],
  });
});

it('a long list of other metrics does not hide the load', async () => {
  const others = Array.from({ length: 2001 }, (_, i) => `vllm:other_seconds_bucket{le="${i}"} 1\n`);
  const { found } = await readLoad(`${others.join('')}vllm:num_requests_running 3\n`);
  expect(found).toEqual({ running: 3, outputTokens: null });
});
