import { describe, expect, it } from 'vitest';
import { readPlanWithFiles } from './input/read-plan.ts';
import { bareRequest } from './input/run-request.ts';
import { silentHost } from './input/silent-host.ts';
import { openRun } from './open-run.ts';

const environment = {};
const { printer } = silentHost(environment, new AbortController().signal, []);

/** A plan for the embedded gateway. `onClips` is called whenever a step of the opening asks for the clips to send. */
const sourceWith = async (onClips: () => readonly []) => {
  const flags = { kind: 'models', rate: '1/s', duration: '1s' };
  const source = { scenario: undefined, flags, set: [], target: 'mock' };
  const read = await readPlanWithFiles(source, environment);
  return Object.defineProperty({ ...read }, 'clips', { get: onClips });
};

const countChildren = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

describe('opening a run', () => {
  it('stops the gateway and the self-test that it has started if a later step fails', async () => {
    const before = countChildren();
    let during = before;
    // The last step asks for them too, with both processes running.
    const source = await sourceWith(() => {
      during = countChildren();
      if (during < before + 2) return [];
      throw new Error('no clips');
    });
    const request = { ...bareRequest, source, yes: true };
    const opener = { environment, printer, requestStop: () => undefined };
    await expect(openRun(request, opener, () => ({}))).rejects.toThrow('no clips');
    // The gateway, and the self-test streams beside the load.
    expect(during).toBe(before + 2);
    // Node forgets a process shortly after its end.
    await expect.poll(countChildren).toBe(before);
  });
});
