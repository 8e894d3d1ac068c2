import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import { endAfter, startServing } from './start-serving.ts';

it('the message about wrong settings says where and what is wrong', async () => {
  await expect(startServing({ seed: 'x' } as never, false)).rejects.toThrow(
    /^the mock’s settings: seed: .*number/i,
  );
  await expect(startServing({ seed: 'x' } as never, false)).rejects.toBeInstanceOf(Problem);
});

it('a port that is taken is a problem of the user', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const starting = startServing({ port, host: '127.0.0.1' }, false);
  await expect(starting).rejects.toBeInstanceOf(Problem);
  await expect(starting).rejects.toThrow(String(port));
  taken.close();
});

it('settings that come later are read in the notation of scenarios', async () => {
  const { mock, settings } = await startServing({ seed: 9 }, false);
  expect(settings.seed).toBe(9);
  const changed = await fetch(`${mock.controlUrl}/settings`, {
    method: 'PATCH',
    body: JSON.stringify({ ttft: '7ms' }),
  });
  expect(changed.ok).toBe(true);
  const now = (await (await fetch(`${mock.controlUrl}/settings`)).json()) as object;
  expect(JSON.stringify(now)).toMatch(/"ttft":7\b/);
  await mock.close();
});

it('a lifetime calls the end once it is over, and can be cancelled', async () => {
  const ended = Promise.withResolvers<string>();
  const cancelled = endAfter(milliseconds(0), () => ended.resolve('the cancelled one'));
  cancelled();
  endAfter(null, () => ended.resolve('one without a lifetime'))();
  endAfter(milliseconds(1), () => ended.resolve('the other'));
  expect(await ended.promise).toBe('the other');
});
