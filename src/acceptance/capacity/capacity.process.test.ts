import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir capacity', () => {
  it('sends nothing without --yes, and shows its budget', async () => {
    const { code, stderr } = await weir(['capacity', '--target', 'mock', '--model', 'weir/small']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /Budget: at most 50,000 requests; about [\d,]+ tokens for them; money unknown/,
    );
    expect(stderr).toContain('add --yes');
  });

  it('gives up at once if every request is refused, and says why the address looks wrong, as `run` does', async () => {
    // Neither this address nor the same with a version is one of a gateway.
    const server = createServer((_, response) => response.writeHead(404).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const bare = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = ['--target', bare, '--model', 'm', '--out', await tempFolder()];
    const key = { WEIR_API_KEY: 'sk-weir-test' };
    const doubt = `GET ${bare}/models answered 404: the base address of a gateway ends in its version`;
    const search = ['capacity', ...options, '--start', '1/s', '--yes'];
    const gaveUp = await weir(search, key);
    expect([gaveUp.code, gaveUp.stderr]).toEqual([12, expect.stringContaining(doubt)]);
    expect(gaveUp.stderr).toMatch(
      /The target refused every request: \d+ × 404\b.*the base address/,
    );
    const run = await weir(['run', ...options, '--rate', '2/s', '--duration', '1s', '--json'], key);
    expect([run.code, run.stderr]).toEqual([15, expect.stringContaining(doubt)]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      notes: expect.arrayContaining([expect.stringContaining(doubt)]),
    });
  });
});
