import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { progressOf } from './worker-pool.ts';

const worker = (due: number, inFlight: number, endedBefore: number, end: string | null = null) => ({
  latestUpdate: { progress: { due, inFlight, endedBefore: instant(endedBefore) } },
  end,
});

describe('the progress of several workers', () => {
  it('has the arrivals and the requests in flight of all, and the earliest instant before which all ended', () => {
    expect(progressOf([worker(10, 3, 700), worker(20, 4, 500)])).toEqual({
      due: 30,
      inFlight: 7,
      endedBefore: 500,
    });
  });

  it('knows nothing of a worker that has not reported yet', () => {
    const silent = { latestUpdate: null, end: null };
    expect(progressOf([worker(10, 3, 700), silent])).toEqual({
      due: 10,
      inFlight: 3,
      endedBefore: 0,
    });
    expect(progressOf([silent])).toEqual({ due: 0, inFlight: 0, endedBefore: 0 });
  });

  it('has what was due of a worker that is lost, but none of its requests in flight', () => {
    expect(progressOf([worker(10, 3, 700), worker(20, 4, 500, 'it crashed')])).toEqual({
      due: 30,
      inFlight: 3,
      endedBefore: 700,
    });
  });

  it('knows nothing more once all have ended', () => {
    const ended = [worker(10, 3, 700, 'it crashed'), worker(20, 4, 500, 'it crashed')];
    expect(progressOf(ended)).toEqual({ due: 30, inFlight: 0 });
  });
});
