import type { z } from 'zod';

/**
 * This file gives numbers a unit in their type. Only this file casts numbers to these types.
 * `scenario/schema/notation.ts` reads quantities from text.
 */

/** A length of time; fractions are allowed. */
export type Milliseconds = number & z.$brand<'Milliseconds'>;
/** Milliseconds since the run began, on a monotonic clock. */
export type Instant = number & z.$brand<'Instant'>;
/** Events per second. */
export type PerSecond = number & z.$brand<'PerSecond'>;
/** A share between 0 and 1. */
export type Ratio = number & z.$brand<'Ratio'>;

export const milliseconds = (value: number): Milliseconds => value as Milliseconds;
export const instant = (value: number): Instant => value as Instant;
export const perSecond = (value: number): PerSecond => value as PerSecond;
export const ratio = (value: number): Ratio => value as Ratio;

/** The longest run whose results can be read, in ms: 31 days. */
export const longestRun = 31 * 24 * 3_600_000;

export const maxSlices = 9999;

/** Returns the whole second of the run that contains a moment. The second is never negative. */
export const secondOf = (moment: Instant): number => Math.max(0, Math.floor(moment / 1000));
