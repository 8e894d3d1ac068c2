import { describe, expect, it } from 'vitest';
import { followStops, StoppedBeforeLoad } from './follow-stops.ts';
import { fakeHost } from '../fake-host.fixture.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const following = () => {
  const { host, stop } = fakeHost();
  let unheard = 0;
  const stops = followStops(host.onStop, () => {
    unheard += 1;
  });
  return { stops, stop, unheard: () => unheard };
};

describe('a request to stop', () => {
  it('reaches each listener until it is removed, with its cause and how often it came', async () => {
    const { stops, stop, unheard } = following();
    const heard: string[] = [];
    const remove = stops.onStop((cause, times) => heard.push(`a ${cause} ${times}`));
    stops.onStop((cause, times) => heard.push(`b ${cause} ${times}`));
    await settle();
    expect(heard).toEqual([]);
    stop('SIGINT');
    remove();
    stop('SIGTERM');
    // What came first is the cause.
    expect(heard).toEqual(['a SIGINT 1', 'b SIGINT 1', 'b SIGINT 2']);
    expect(unheard()).toBe(0);
  });

  it('that came earlier reaches a new listener, unless the listener is removed at once', async () => {
    const { stops, stop } = following();
    stop('SIGHUP');
    const heard: string[] = [];
    stops.onStop((cause, times) => heard.push(`${cause} ${times}`));
    stops.onStop(() => heard.push('removed'))();
    expect(heard).toEqual([]);
    await settle();
    expect(heard).toEqual(['SIGHUP 1']);
  });

  it('is said to be of no use when nobody listens', () => {
    const { stops, stop, unheard } = following();
    const remove = stops.onStop(() => undefined);
    stop('SIGINT');
    expect(unheard()).toBe(0);
    remove();
    stop('SIGINT');
    expect(unheard()).toBe(1);
    stops.release();
    stop('SIGINT');
    expect(unheard()).toBe(1);
  });

  it('may come from elsewhere than the host', () => {
    const { stops } = following();
    const heard: unknown[] = [];
    stops.onStop((cause) => heard.push(cause));
    stops.request('the live page');
    expect(heard).toEqual(['the live page']);
  });
});

describe('work before the load', () => {
  it('is waited for, or fails as it does', async () => {
    const { stops, unheard } = following();
    expect(await stops.unlessStopped(Promise.resolve(5), null)).toBe(5);
    const failed = stops.unlessStopped(Promise.reject(new Error('no')), null);
    await expect(failed).rejects.toThrow('no');
    expect(unheard()).toBe(0);
  });

  it('is undone when it is stopped, which is no request of no use', async () => {
    const { stops, stop, unheard } = following();
    const work = Promise.withResolvers<string>();
    const undone: string[] = [];
    const waiting = stops.unlessStopped(work.promise, async (opened) => {
      await settle();
      undone.push(opened);
    });
    stop('SIGTERM');
    await settle();
    expect(undone).toEqual([]);
    work.resolve('folder');
    const error = await waiting.catch((each: unknown) => each);
    expect(undone).toEqual(['folder']);
    expect(error).toBeInstanceOf(StoppedBeforeLoad);
    expect(error).toMatchObject({
      stoppedBy: 'SIGTERM',
      kind: 'stopped',
      message: 'stopped by SIGTERM before the load began',
    });
    expect(unheard()).toBe(0);
  });

  it('is given up at once if nothing must be undone, and a failure to undo it is not reported', async () => {
    const { stops, stop } = following();
    const never = stops.unlessStopped(new Promise(() => undefined), null);
    stop('SIGINT');
    await expect(never).rejects.toThrow(StoppedBeforeLoad);
    const failing = stops.unlessStopped(settle(), () => Promise.reject(new Error('not closed')));
    await expect(failing).rejects.toThrow('stopped by SIGINT before the load began');
  });
});
