import type { Notes } from './imported.ts';

/** The settings of one part of a command line, each asked for once; what nobody asked for is named. */
export class PartSettings {
  private readonly place: string;
  private readonly values: Map<string, unknown>;
  private readonly notes: Notes;

  constructor(place: string, values: Readonly<Record<string, unknown>>, notes: Notes) {
    this.place = place;
    this.values = new Map(Object.entries(values));
    this.notes = notes;
  }

  take(name: string): unknown {
    const value = this.values.get(name);
    this.values.delete(name);
    return value ?? undefined;
  }

  text(name: string): string | null {
    const value = this.take(name);
    return typeof value === 'string' && value !== '' ? value : null;
  }

  /** The numbers of a setting; anything else is named. */
  numbers(name: string): readonly number[] {
    const value = this.take(name);
    if (value === undefined) return [];
    const numbers = [value].flat().map(Number);
    if (numbers.every((n) => n >= 0 && n < Infinity)) return numbers;
    this.notes.left(this.place, `its "${name}" is not a number`);
    return [];
  }

  number(name: string): number | null {
    return this.numbers(name)[0] ?? null;
  }

  /** The settings whose names begin so, by the rest of their names. */
  takeBelow(prefix: string): Readonly<Record<string, unknown>> {
    const names = [...this.values.keys()].filter((name) => name.startsWith(prefix));
    return Object.fromEntries(names.map((name) => [name.slice(prefix.length), this.take(name)]));
  }

  nameRest(): void {
    for (const name of this.values.keys()) {
      this.notes.left(this.place, `its "${name}" has no counterpart`);
    }
  }
}
