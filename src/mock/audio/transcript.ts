import type { Draw } from '../../model/workload/draw.ts';
import { commonWords } from '../chat/common-words.ts';

/** Spoken text with its begin and end, in whole milliseconds from the beginning of the audio. */
export interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Transcript {
  readonly language: string;
  readonly seconds: number;
  readonly segments: readonly Segment[];
}

const wordsPerSecond = 2.5;
const sentenceLength = { min: 5, max: 14 };

/** Sentences with as many words as one speaks in this time. */
export const randomTranscriptText = (draw: Draw, seconds: number): string => {
  const whole = (choices: number): number => Math.floor(draw.uniform() * choices);
  const sentences: string[] = [];
  let left = Math.max(1, Math.round(seconds * wordsPerSecond));
  while (left > 0) {
    const { min, max } = sentenceLength;
    const count = Math.min(left, min + whole(max - min + 1));
    left -= count;
    const words = Array.from({ length: count }, () => commonWords[whole(commonWords.length)]);
    const sentence = words.join(' ');
    sentences.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`);
  }
  return sentences.join(' ');
};

/** The words of a text from 0 to `end`, each for a time in proportion to its length. */
const timeWords = (text: string, end: number): readonly TimedText[] => {
  const words = text.split(/\s+/).filter((word) => word !== '');
  // Plus one for the pause after the word.
  const weight = (word: string): number => word.length + 1;
  const total = words.reduce((sum, word) => sum + weight(word), 0);
  let before = 0;
  return words.map((word) => {
    const start = Math.floor((before / total) * end);
    before += weight(word);
    return { text: word, start, end: Math.floor((before / total) * end) };
  });
};

const endsSentence = (word: TimedText): boolean => /[.!?]$/.test(word.text);

/** A sentence with the times of its words. */
const segmentOf = (words: readonly TimedText[]) => ({
  text: words.map(({ text }) => text).join(' '),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  words,
});

export type Segment = ReturnType<typeof segmentOf>;

/** The sentences of a text as segments; its words fill the audio. */
export const segmentsOf = (text: string, seconds: number): readonly Segment[] => {
  const sentences: TimedText[][] = [];
  let isOpen = false;
  for (const word of timeWords(text, Math.floor(seconds * 1000))) {
    if (isOpen) sentences.at(-1)!.push(word);
    else sentences.push([word]);
    isOpen = !endsSentence(word);
  }
  return sentences.map(segmentOf);
};
