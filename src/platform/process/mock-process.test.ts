import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchMockCounters, mockCommand, mockNodeFlags, startMockProcess } from './mock-process.ts';

const printing = (line: string): readonly [string, ...string[]] => [
  'sh',
  '-c',
  `read setup; echo '${line}'; cat > /dev/null`,
];

describe('the process of the reference gateway', () => {
  it('has the addresses that it prints', async () => {
    const ready = { url: 'http://127.0.0.1:1/v1', control: 'http://127.0.0.1:2' };
    const mock = await startMockProcess(printing(JSON.stringify(ready)), { seed: 1 });
    expect(mock).toMatchObject(ready);
    expect(mock.pid).toBeGreaterThan(0);
    expect(mock.ended()).toBeNull();
    await mock.stop();
  });

  it.each(['hello', '{"url":"http://a/v1"}', '{"url":"x","control":"http://b"}'])(
    'that prints %s instead is ended, and no gateway',
    async (line) => {
      await expect(startMockProcess(printing(line), {})).rejects.toThrow(
        `the reference gateway did not start: expected its addresses, got ${JSON.stringify(line)}. Check whether NODE_OPTIONS`,
      );
    },
  );

  it('that does not start says why', async () => {
    await expect(startMockProcess(['sh', '-c', 'echo no memory >&2; exit 1'], {})).rejects.toThrow(
      'the reference gateway did not start: no memory',
    );
  });

  it('is this Node, with flags that keep its pauses short', () => {
    expect(mockCommand('/x/main.ts')).toEqual([
      process.execPath,
      ...mockNodeFlags,
      '/x/main.ts',
      'mock',
      '--embedded',
    ]);
    expect(mockCommand('/x/main.ts', false).at(-1)).toBe('--no-uploads');
  });
});

describe('the counters of the gateway', () => {
  const inFlight: number[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/counters') asked += 1;
    response.end(JSON.stringify({ received: asked, inFlight: inFlight.shift() ?? 0 }));
  });
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => server.close());
  const read = () => {
    const { port } = server.address() as AddressInfo;
    const control = `http://127.0.0.1:${port}`;
    return fetchMockCounters({
      control,
      url: '',
      pid: 1,
      ended: () => null,
      stop: async () => undefined,
    });
  };

  it('are read again until no request is in flight', async () => {
    inFlight.push(2, 1, 0);
    expect(await read()).toEqual({ received: 3, inFlight: 0 });
    expect(await read()).toEqual({ received: 4, inFlight: 0 });
  });

  it('are taken as they are after a second of waiting', async () => {
    asked = 0;
    inFlight.push(...Array.from({ length: 30 }, () => 1));
    expect(await read()).toEqual({ received: 20, inFlight: 1 });
  });
});
