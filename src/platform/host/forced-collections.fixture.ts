import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Counts the collections of garbage that some work asks for. */
export const forcedCollections = async (work: () => void): Promise<number> => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { readonly detail: { readonly flags: number } };
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  work();
  await setImmediate();
  await setImmediate();
  observer.disconnect();
  return forced;
};
