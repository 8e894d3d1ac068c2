import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreement, soundScripts, spoiltScripts, Theatre } from './differential-suite.ts';

describe('what servers send over real sockets', () => {
  let theatre: Theatre;
  beforeAll(async () => {
    theatre = await Theatre.open();
  });
  afterAll(() => theatre.close());

  it('is taken as undici and Node take it when it is sound, however it is cut and whatever comes after', async () => {
    await fc.assert(
      fc.asyncProperty(soundScripts, async (script) => {
        const { socket, undici, node } = await theatre.show(script);
        expect(socket).toEqual(undici);
        expect(socket).toEqual(node);
        expect(socket).toHaveProperty('status');
      }),
      { numRuns: 150 },
    );
  });

  it('is taken as undici or Node take it when it is spoilt', async () => {
    await fc.assert(
      fc.asyncProperty(spoiltScripts, async (script) => {
        expect(disagreement(await theatre.show(script), script)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
