import { expect, it } from 'vitest';
import { stopOnRequest } from './drive.ts';
import type { OnStop } from './input/host.ts';

it('the first request to stop lets requests in flight end within two seconds, the second aborts them', () => {
  const [stops, said]: [number[], string[]] = [[], []];
  let request: Parameters<OnStop>[0] = () => undefined;
  let isReleased = false;
  const stopping = stopOnRequest(
    { stop: (within) => void stops.push(within) },
    {
      say: (text) => void said.push(text),
      onStop: (asked) => {
        request = asked;
        return () => {
          isReleased = true;
        };
      },
    },
  );
  expect(stopping.cause()).toBeNull();
  request('SIGINT', 1);
  expect(stops).toEqual([2000]);
  expect(said).toEqual([
    'stopping: waiting up to 2 s for requests in flight; press Ctrl-C again to abort them',
  ]);
  request('SIGTERM', 2);
  expect(stops).toEqual([2000, 0]);
  expect(said).toHaveLength(1);
  expect(stopping.cause()).toBe('SIGINT');
  expect(isReleased).toBe(false);
  stopping.release();
  expect(isReleased).toBe(true);
});
