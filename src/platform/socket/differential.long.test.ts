import fc from 'fast-check';
import { expect, it } from 'vitest';
import { disagreement, soundScripts, spoiltScripts, Theatre } from './differential-suite.ts';

it('takes whatever servers send as undici or Node do, over thirty thousand answers', async () => {
  const theatre = await Theatre.open();
  try {
    for (const [scripts, numRuns] of [
      [soundScripts, 5000],
      [spoiltScripts, 25_000],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          expect(disagreement(await theatre.show(script), script)).toBeNull();
        }),
        { numRuns },
      );
    }
  } finally {
    await theatre.close();
  }
}, 600_000);
