import { expect, it } from 'vitest';
import { coordinatorRecordSchema, jsonOf, keysOf, readRecord, runKey } from './records.ts';

it('each record of a run has a unique key, which no other run has', () => {
  const keysOfRun = (id: string) => {
    const { plan, coordinator, claim, worker, result } = keysOf(id);
    const bySlice = [claim, worker, result].flatMap((key) => [key(0), key(1), key(10)]);
    return [plan, coordinator, ...bySlice];
  };
  expect(keysOfRun('a')).toEqual([
    'a.plan',
    'a.coordinator',
    'a.claim.0',
    'a.claim.1',
    'a.claim.10',
    'a.worker.0',
    'a.worker.1',
    'a.worker.10',
    'a.result.0',
    'a.result.1',
    'a.result.10',
  ]);
  expect(new Set([runKey, ...keysOfRun('a'), ...keysOfRun('b')]).size).toBe(23);
});

it('a record that is missing, half written or of another form is none', () => {
  const record = { beat: 0, startAt: null, stops: 0, lost: [], collected: [] };
  const read = (text: string | null) => readRecord(coordinatorRecordSchema, text);
  expect(read(JSON.stringify(record))).toEqual(record);
  expect(read(null)).toBeNull();
  expect(read(JSON.stringify(record).slice(0, -1))).toBeNull();
  expect(read(JSON.stringify({ ...record, more: 1 }))).toBeNull();
  expect(read(JSON.stringify({ ...record, beat: -1 }))).toBeNull();
  expect(read(JSON.stringify({ ...record, lost: [0.5] }))).toBeNull();
});

it('content is read as JSON in UTF-8, or is undefined', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  expect(jsonOf(bytes('{"name":"ü"}'))).toEqual({ name: 'ü' });
  expect(jsonOf(bytes('null'))).toBeNull();
  expect(jsonOf(bytes('{'))).toBeUndefined();
});
