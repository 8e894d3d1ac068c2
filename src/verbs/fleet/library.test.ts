import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { coordinate, type CoordinateOptions, work } from './library.ts';

const emptyFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-fleet-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const scenario = {
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 1 }],
  load: { kind: 'constant', rate: '1/s', duration: '1s' },
} as never;

const environment = { WEIR_API_KEY: 'k', WEIR_HISTORY: 'off' };

const lead = async (options: Partial<CoordinateOptions>): Promise<unknown> => {
  const rendezvous = `file://${await emptyFolder()}`;
  return coordinate(scenario, { rendezvous, slices: 2, wait: 1, environment, ...options });
};

describe('a run on several machines, led by a program', () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'has at least one whole slice: not %d',
    async (slices) => {
      await expect(lead({ slices })).rejects.toMatchObject({
        name: 'WeirError',
        message: `slices: expected a whole number from 1 on, got ${slices}`,
      });
    },
  );

  it('has a silence of at least two seconds', async () => {
    for (const silence of [1999, Number.NaN])
      await expect(lead({ silence })).rejects.toMatchObject({
        name: 'WeirError',
        message: `silence: expected at least 2000 ms, got ${silence}`,
      });
  });

  it('does not begin without workers, with the least of both', async () => {
    await expect(
      lead({ slices: 1, silence: 2000, target: 'http://127.0.0.1:9/v1' }),
    ).rejects.toMatchObject({
      name: 'WeirError',
      message: expect.stringMatching(/^0 of 1 worker came within 1 ms/),
    });
  });

  it('does not begin if it is already stopped', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(lead({ slices: 0, signal })).rejects.toThrow('too late');
  });
});

describe('a slice that a program runs', () => {
  it('does not begin without a coordinator, or if it is already stopped', async () => {
    const rendezvous = `file://${await emptyFolder()}`;
    await expect(work({ rendezvous, wait: 1, environment })).rejects.toMatchObject({
      name: 'WeirError',
      message: expect.stringMatching(/coordinator/),
    });
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(work({ rendezvous, wait: 1, signal })).rejects.toThrow('too late');
  });
});
