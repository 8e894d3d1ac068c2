/**
 * A random source, passed as an argument. The numbers of a source depend only on its seed, not on the number of
 * workers.
 */
export interface Draw {
  /** Returns a uniform number in [0, 1), with 53 random bits. */
  uniform(): number;
  /** Picks one of the choices in proportion to the weights. By default all weights are equal. */
  pick<T>(choices: readonly T[], weight?: (choice: T) => number): T;
}

/** The 32-bit finaliser of MurmurHash3 (Appleby): a bijection in which every input bit affects every output bit. */
const mix = (word: number): number => {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
};

/** Returns 32 bits that depend only on three integers up to 2^53. A selection by these bits is an unbiased sample. */
export const hashOf = (first: number, second: number, third: number): number => {
  let hash = 0x3c6ef372;
  hash = mix(hash ^ (first >>> 0)) + Math.floor(first / 0x1_0000_0000);
  hash = mix(hash ^ (second >>> 0)) + Math.floor(second / 0x1_0000_0000);
  hash = mix(hash ^ (third >>> 0)) + Math.floor(third / 0x1_0000_0000);
  return mix(hash) >>> 0;
};

/**
 * A random source keyed by integers up to 2^53: sfc32 (Doty-Humphrey, PractRand), seeded by MurmurHash3's finaliser.
 */
class KeyedDraw implements Draw {
  #a = 0x243f6a88;
  #b = 0x85a308d3 | 0;
  #c = 0x13198a2e;
  #counter = 1;

  constructor(words: readonly number[]) {
    for (const word of words) {
      this.#absorb(word >>> 0);
      this.#absorb(Math.floor(word / 0x1_0000_0000) >>> 0);
    }
    // The author of the generator requires 12 rounds after seeding, before the first number is used.
    for (let round = 0; round < 12; round += 1) this.#next();
  }

  uniform(): number {
    const high = this.#next() >>> 6;
    const low = this.#next() >>> 5;
    return (high * 0x800_0000 + low) / 0x20_0000_0000_0000;
  }

  pick<T>(choices: readonly T[], weight: (choice: T) => number = () => 1): T {
    const share = this.uniform();
    // Often there is a single choice, for example a single key. Then nothing needs to be computed.
    if (choices.length === 1) return choices[0]!;
    let left = share * choices.reduce((sum, choice) => sum + weight(choice), 0);
    for (const choice of choices) {
      left -= weight(choice);
      if (left < 0) return choice;
    }
    const last = choices.findLast((choice) => weight(choice) > 0) ?? choices.at(-1);
    if (last === undefined) throw new Error('a draw needs at least one choice to pick from');
    return last;
  }

  #absorb(half: number): void {
    this.#a = (mix(this.#a ^ half) + 0x9e3779b9) | 0;
    this.#b = mix(this.#b + this.#a) ^ half;
    this.#c = (mix(this.#c ^ this.#b) + half) | 0;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

export const drawFrom = (...words: readonly number[]): Draw => new KeyedDraw(words);

/** Draws a standard normal variate (Box and Muller 1958). */
export const drawNormal = (draw: Draw): number => {
  const radius = Math.sqrt(-2 * Math.log1p(-draw.uniform()));
  return radius * Math.cos(2 * Math.PI * draw.uniform());
};
