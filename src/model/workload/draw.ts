/**
 * Randomness as an argument. The numbers of a draw are a pure function of its key, so request n of a
 * plan has the same content for any number of workers, in any order.
 */
export interface Draw {
  /** Uniform in [0, 1), with 53 random bits. */
  uniform(): number;
  /** One of at least one `choices`, with a probability in proportion to its weight; by default all are equal. */
  pick<T>(choices: readonly T[], weight?: (choice: T) => number): T;
}

/** The 32-bit finaliser of MurmurHash3 (Appleby): a bijection in which every input bit moves every output bit. */
const mix = (word: number): number => {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
};

/**
 * A draw keyed by `words` (integers up to 2^53): sfc32 (Doty-Humphrey, PractRand), its 128-bit
 * state filled from the words by MurmurHash3's finaliser.
 */
export const drawFrom = (...words: readonly number[]): Draw => {
  let a = 0x243f6a88;
  let b = 0x85a308d3;
  let c = 0x13198a2e;
  let counter = 1;
  const absorb = (half: number): void => {
    a = mix(a ^ half) + 0x9e3779b9;
    b = mix(b + a) ^ half;
    c = mix(c ^ b) + half;
  };
  for (const word of words) {
    absorb(word >>> 0);
    absorb(Math.floor(word / 0x1_0000_0000) >>> 0);
  }
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // The generator's author requires 12 rounds before the first use of a seeded state.
  for (let round = 0; round < 12; round += 1) next();

  const uniform = (): number => {
    const high = next() >>> 6;
    const low = next() >>> 5;
    return (high * 0x800_0000 + low) / 0x20_0000_0000_0000;
  };
  const pick = <T>(choices: readonly T[], weight: (choice: T) => number = () => 1): T => {
    const total = choices.reduce((sum, choice) => sum + weight(choice), 0);
    let left = uniform() * total;
    for (const choice of choices) {
      left -= weight(choice);
      if (left < 0) return choice;
    }
    const last = choices.findLast((choice) => weight(choice) > 0) ?? choices.at(-1);
    if (last === undefined) throw new Error('a draw needs at least one choice to pick from');
    return last;
  };
  return { uniform, pick };
};

/** A standard normal variate of two uniform ones (Box and Muller 1958). */
export const drawNormal = (draw: Draw): number => {
  const radius = Math.sqrt(-2 * Math.log1p(-draw.uniform()));
  return radius * Math.cos(2 * Math.PI * draw.uniform());
};
