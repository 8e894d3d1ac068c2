import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  disagreement,
  validScripts,
  corruptScripts,
  DifferentialServer,
} from './differential.fixture.ts';

describe('what servers send over real sockets', () => {
  let theatre: DifferentialServer;
  beforeAll(async () => {
    theatre = await DifferentialServer.open();
  });
  afterAll(() => theatre.close());

  it('is taken as undici and Node take it when it is sound, however it is cut and whatever comes after', async () => {
    await fc.assert(
      fc.asyncProperty(validScripts, async (script) => {
        const { socket, undici, node } = await theatre.readWithAllClients(script);
        expect(socket).toEqual(undici);
        expect(socket).toEqual(node);
        expect(socket).toHaveProperty('status');
      }),
      { numRuns: 150 },
    );
  });

  it('is taken as undici or Node take it when it is spoilt', async () => {
    await fc.assert(
      fc.asyncProperty(corruptScripts, async (script) => {
        expect(disagreement(await theatre.readWithAllClients(script), script)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
