import { expect, it, onTestFinished } from 'vitest';
import { startCanaryEmitter } from './start-canary-emitter.ts';

/** Shells stand in for the emitter: they start in a few milliseconds. */
const started = (script: string) => startCanaryEmitter(['sh', '-c', script]);

it('an emitter that prints its port runs until it is stopped', async () => {
  const emitter = await started('echo 65535; cat >/dev/null');
  if (typeof emitter === 'string') throw new Error(emitter);
  onTestFinished(() => emitter.stop());
  expect(emitter.port).toBe(65_535);
  expect(emitter.pid).toBeGreaterThan(0);
  expect(emitter.ended()).toBeNull();
  await emitter.stop();
  expect(emitter.ended()).toBeNull();
});

it.each(['0', '08', '123456', '80 81', 'x', ''])('%j is no port', async (line) => {
  expect(await started(`echo "${line}"; cat >/dev/null`)).toBe(
    `expected its port, got ${JSON.stringify(line)}`,
  );
});

it('an emitter that does not start says why', async () => {
  expect(await started('echo "Error: no room" >&2; exit 1')).toBe('Error: no room');
  expect(await started('echo "out of room" >&2; exit 1')).toContain('out of room');
  expect(await startCanaryEmitter(['/nowhere/node'])).toContain('ENOENT');
});
