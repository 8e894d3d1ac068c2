// @long 11 s
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  disagreement,
  validScripts,
  corruptScripts,
  DifferentialServer,
} from './differential.fixture.ts';

it('reads thirty thousand responses like undici or Node', async () => {
  const theatre = await DifferentialServer.open();
  try {
    for (const [scripts, numRuns] of [
      [validScripts, 5000],
      [corruptScripts, 25_000],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          expect(disagreement(await theatre.readWithAllClients(script), script)).toBeNull();
        }),
        { numRuns },
      );
    }
  } finally {
    await theatre.close();
  }
}, 600_000);
