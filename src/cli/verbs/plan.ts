import { defineVerb, inGroup, switchOption, textOption } from '../options/define-verb.ts';
import { sliceCountFrom } from '../options/number-options.ts';
import { planSourceFrom, scenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

const sharesFrom = (text: string | undefined): number | 'auto' | undefined =>
  text === undefined || text === 'auto' ? text : sliceCountFrom(text);

export const planVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...inGroup('Scenario:', {
      'answer-time': textOption('Assumed time per answer, for loads whose users wait for it [1s]'),
      like: textOption(
        'Earlier result whose cached shares of prompts the cost assumes: a file or folder',
      ),
    }),
    ...inGroup('Scale:', {
      slices: textOption(
        'What each of so many slices needs; auto: as many as this machine’s calibration says',
      ),
    }),
    ...inGroup('Output:', {
      json: switchOption('Print the forecast as JSON'),
    }),
  },
  run: async (given) => {
    const { printForecast } = await import('../../run/forecast.ts');
    const { answerTime, slices, like } = given;
    const request = {
      source: planSourceFrom(given),
      answerTime,
      slices: sharesFrom(slices),
      like,
    };
    await printForecast(request, terminalHost(given));
    return 'pass';
  },
});
