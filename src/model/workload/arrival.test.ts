import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { owns, splitSlice } from './arrival.ts';

it('the parts of a slice contain what it contains, each index once', () => {
  const slices = fc
    .integer({ min: 1, max: 9 })
    .chain((count) => fc.record({ count: fc.constant(count), index: fc.nat(count - 1) }));
  fc.assert(
    fc.property(slices, fc.integer({ min: 1, max: 9 }), fc.nat(1000), (slice, parts, index) => {
      const owners = splitSlice(slice, parts).filter((part) => owns(part, index));
      expect(owners).toHaveLength(owns(slice, index) ? 1 : 0);
    }),
  );
});
