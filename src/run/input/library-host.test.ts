import { describe, expect, it } from 'vitest';
import { OverBudget, Problem } from '../../platform/problem.ts';
import { withWeirErrors } from './library-host.ts';
import { silentHost, stoppedByErrors } from './silent-host.ts';

describe('an error of the library', () => {
  it('is what Weir expected, with its message and its code', async () => {
    const cause = new OverBudget('too much');
    const error = await withWeirErrors(() => Promise.reject(cause)).catch((each: unknown) => each);
    expect(error).toMatchObject({ name: 'WeirError', message: 'too much', code: 'budget', cause });
    const plain = withWeirErrors(() => Promise.reject(new Problem('x')));
    await expect(plain).rejects.toMatchObject({ code: 'configuration' });
  });

  it('is any other error as it is, and none if there is none', async () => {
    const defect = new TypeError('a defect');
    await expect(withWeirErrors(() => Promise.reject(defect))).rejects.toBe(defect);
    expect(await withWeirErrors(() => Promise.resolve(5))).toBe(5);
  });
});

describe('the host of the library', () => {
  it('prints nothing, asks nobody and keeps warnings', () => {
    const warnings: string[] = [];
    const environment = { A: 'b' };
    const {
      printer,
      ask,
      environment: own,
    } = silentHost(environment, new AbortController().signal, warnings);
    printer.say('said');
    printer.warn('warned');
    printer.print({ text: () => 'printed' });
    printer.close({ text: () => 'closed' });
    printer.listFiles('file');
    expect([warnings, ask, own, printer.screen]).toEqual([['warned'], null, environment, null]);
    const { environment: usual } = silentHost(undefined, new AbortController().signal, []);
    expect(usual['PATH']).toBe(process.env['PATH']);
  });

  it('stops a run once when its signal is aborted, also if it was before', async () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    const { onStop } = silentHost({}, controller.signal, []);
    onStop((cause, times) => heard.push([cause, times]));
    const release = onStop(() => heard.push('released'));
    release();
    controller.abort();
    expect(heard).toEqual([['AbortSignal', 1]]);
    onStop((cause) => heard.push(cause));
    expect(heard).toHaveLength(1);
    await Promise.resolve();
    expect(heard).toEqual([['AbortSignal', 1], 'AbortSignal']);
  });
});

describe('a listener of progress', () => {
  const progress = { elapsed: 1 } as never;

  it('that throws ends the run with its error', () => {
    const reason = new Error('of the listener');
    const { stop, onSecond, failure } = stoppedByErrors(() => {
      throw reason;
    }, undefined);
    expect(stop.aborted).toBe(false);
    onSecond(progress);
    expect([stop.aborted, failure.aborted, failure.reason]).toEqual([true, true, reason]);
  });

  it('that does not throw gets the progress and stops nothing, and may be absent', () => {
    const reported: unknown[] = [];
    const controller = new AbortController();
    const { stop, onSecond, failure } = stoppedByErrors(
      (each) => void reported.push(each),
      controller.signal,
    );
    onSecond(progress);
    expect([reported, stop.aborted]).toEqual([[progress], false]);
    controller.abort();
    expect([stop.aborted, failure.aborted]).toEqual([true, false]);
    expect(() => stoppedByErrors(undefined, undefined).onSecond(progress)).not.toThrow();
  });
});
