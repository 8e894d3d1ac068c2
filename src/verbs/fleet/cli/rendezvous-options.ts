import { milliseconds } from '../../../model/quantity.ts';
import { durationNotation, formatDuration } from '../../../scenario/schema/notation.ts';
import { lossPolicies } from '../loss-policies.ts';
import { bounded, readOption } from '../../../run/input/read-option.ts';
import { textOption } from '../../../cli/options/define-verb.ts';

export const rendezvousOptions = (wait: string) => ({
  rendezvous: {
    ...textOption('Where they meet: nats://HOST:4222, tls://HOST:4222 or file:///SHARED-FOLDER'),
    demandOption: true as const,
  },
  wait: textOption(wait),
});

export const onLostOption = {
  'on-lost': {
    choices: lossPolicies,
    default: 'stop' as const,
    describe: 'When a slice is lost: stop the others, or let them go on',
  },
};

/** Reads a duration in ms; returns `usual` if the option is absent. */
export const lengthFrom = (
  name: string,
  text: string | undefined,
  usual: number,
  least = 1000,
): number => {
  const isEnough = (length: number): boolean => length >= least;
  const notation = bounded(
    durationNotation,
    isEnough,
    `, at least ${formatDuration(milliseconds(least))}`,
  );
  return text === undefined ? usual : readOption(name, text, notation);
};
