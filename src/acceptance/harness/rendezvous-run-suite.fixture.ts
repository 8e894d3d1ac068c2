import { describe, expect, it } from 'vitest';
import { exitOf } from './run-files.fixture.ts';
import {
  completedBy,
  endedWithin,
  growthOf,
  joinedIn,
  killNow,
  silence,
  startRendezvousRun,
  zerosOf,
} from './rendezvous-run.fixture.ts';

/** What a lost process may cost at most, in ms: two silences, the drain, the last words, and a busy machine. */
const deadline = 2 * silence + 12_000;

/** Runs of three worker processes and a coordinator, whatever they meet in. `open` returns a new rendezvous. */
export const rendezvousRunSuite = (name: string, open: () => Promise<string>): void => {
  describe(`three workers that meet in ${name}`, () => {
    it('begin at one instant, and their joined counts are the gateway’s', async () => {
      const run = await startRendezvousRun(await open());
      const names = ['a', 'b', 'c'];
      const workers = names.map((each) => run.worker(['--observations', run.observationsOf(each)]));
      const { stdout, stderr, code } = await run.coordinator.ended;
      const ended = await Promise.all(workers.map((worker) => worker.ended));
      expect(ended.map((each) => [each.code, each.stderr])).toEqual(
        names.map(() => [0, expect.stringContaining('the coordinator has its result')]),
      );
      const { result, completed } = await joinedIn(run.out);
      expect({ code, partial: result.partial, stderr }).toEqual({
        code: exitOf(result, 0),
        partial: null,
        stderr: expect.stringContaining('all 3 slices are ready'),
      });
      expect(stdout).toContain('100.0 %');
      expect(completed).toBe(240);
      expect(await completedBy(run.mock)).toBe(240);
      const zeros = await zerosOf(names.map(run.observationsOf));
      const apart = Math.max(...zeros) - Math.min(...zeros);
      console.log(`${name}: starts ${apart.toFixed(2)} ms apart`);
      expect(apart).toBeLessThanOrEqual(5);
      for (const { clockOffset } of result.slices) {
        expect(Math.abs(clockOffset!.offset)).toBeLessThanOrEqual(clockOffset!.uncertainty + 1);
      }
    }, 90_000);

    it('of which one is killed: the others stop, and the report says so', async () => {
      const run = await startRendezvousRun(await open(), { seconds: 60 });
      const workers = [0, 1, 2].map(() => run.worker());
      await run.loadBegun();
      await killNow(workers[1]!);
      const coordinator = await endedWithin(run.coordinator, deadline);
      expect(coordinator).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/Slice \d\/3 is lost: no sign of life for 3 s/),
      });
      expect(await growthOf(run.mock, 1500)).toBe(0);
      const others = await Promise.all([workers[0]!.ended, workers[2]!.ended]);
      expect(others.map(({ code }) => code)).toEqual([3, 3]);
      const { result, completed } = await joinedIn(run.out);
      expect(result.partial).toMatch(/stopped by the coordinator.*slice \d\/3 was lost after/);
      expect(result.slices).toHaveLength(2);
      // What the killed one had sent is missing in the result, and in nothing else.
      expect(completed).toBeLessThan(await completedBy(run.mock));
    }, 120_000);

    it('of which one is halted and goes on too late: it sends nothing more', async () => {
      const run = await startRendezvousRun(await open(), { seconds: 60 });
      const workers = [0, 1, 2].map(() => run.worker());
      await run.loadBegun();
      workers[2]!.child.kill('SIGSTOP');
      const coordinator = await endedWithin(run.coordinator, deadline);
      expect(coordinator).toMatchObject({ code: 3, stderr: expect.stringContaining('is lost') });
      const before = await completedBy(run.mock);
      workers[2]!.child.kill('SIGCONT');
      const halted = await endedWithin(workers[2]!, deadline);
      expect(halted).toMatchObject({ code: 3, stderr: expect.stringContaining('silent') });
      expect((await completedBy(run.mock)) - before).toBe(0);
    }, 120_000);

    it('whose coordinator is killed: all stop by themselves and keep their results', async () => {
      const run = await startRendezvousRun(await open(), { seconds: 60 });
      const workers = [0, 1, 2].map(() => run.worker());
      await run.loadBegun();
      await killNow(run.coordinator);
      await new Promise((resolve) => setTimeout(resolve, silence + 1500));
      expect(await growthOf(run.mock, 1500)).toBe(0);
      const ended = await Promise.all(workers.map((worker) => endedWithin(worker, deadline)));
      for (const worker of ended) {
        expect(worker).toMatchObject({ code: 3, stderr: expect.stringContaining('weir merge') });
      }
      const parts = ended.map((each) => /It is in (\S+)\/result\.json/.exec(each!.stderr)![1]!);
      const kept = await Promise.all(parts.map(joinedIn));
      const [completed, broken] = (['completed', 'broken'] as const).map((outcome) =>
        kept.reduce((sum, part) => sum + part[outcome], 0),
      );
      // What was in flight was aborted; the gateway may have answered it.
      expect(await completedBy(run.mock)).toBeGreaterThanOrEqual(completed!);
      expect(await completedBy(run.mock)).toBeLessThanOrEqual(completed! + broken!);
    }, 120_000);
  });
};
