/** At most this many field names are counted separately. Longer names than `maxNameLength` are cut. */
const [maxNames, maxNameLength] = [10, 40];
const otherFields = 'others';

/** Counts, for each field name, the rows of a file that have the field. */
export class FieldCounts {
  readonly counts: Record<string, number> = {};

  add(names: readonly string[]): void {
    const { counts } = this;
    for (const name of names) {
      const cut = name.slice(0, maxNameLength);
      const isCounted = Object.hasOwn(counts, cut) || Object.keys(counts).length < maxNames;
      const counted = isCounted ? cut : otherFields;
      // A field may be named `toString` or `__proto__`, so plain reading and assigning would be wrong.
      const before = Object.hasOwn(counts, counted) ? counts[counted]! : 0;
      const property = { value: before + 1, enumerable: true, writable: true, configurable: true };
      Object.defineProperty(counts, counted, property);
    }
  }
}
