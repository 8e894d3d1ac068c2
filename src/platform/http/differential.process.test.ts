import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  disagreement,
  validScripts,
  corruptScripts,
  DifferentialServer,
} from './differential.fixture.ts';

describe('a response over a real socket', () => {
  let theatre: DifferentialServer;
  beforeAll(async () => {
    theatre = await DifferentialServer.open();
  });
  afterAll(() => theatre.close());

  it('is read as by undici and Node if it is valid, for any cut and any bytes after it', async () => {
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

  it('is read as by undici or Node if it is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(corruptScripts, async (script) => {
        expect(disagreement(await theatre.readWithAllClients(script), script)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
