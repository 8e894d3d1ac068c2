import { describe, expect, it } from 'vitest';
import { startCanaryEmitter } from './start-canary-emitter.ts';

describe('a canary emitter that cannot start', () => {
  it('reports the reason', async () => {
    expect(await startCanaryEmitter(['/nowhere/node'])).toContain('ENOENT');
    expect(
      await startCanaryEmitter([process.execPath, '-e', 'throw new Error("no room")']),
    ).toContain('no room');
  });
});
