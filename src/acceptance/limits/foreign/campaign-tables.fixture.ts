import {
  compliantFigures,
  faultFigures,
  type Power,
  reproductionOf,
} from './campaign-figures.fixture.ts';
import { campaignLimits, type CampaignResult, campaignWindows } from './campaign.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const shareText = ({ caught, runs }: Power): string => (runs === 0 ? '–' : `${caught}/${runs}`);

const seconds = (window: number): string => `${window / 1000} s`;

const settings = campaignWindows.flatMap((window) =>
  campaignLimits.map((limit) => ({ limit, window })),
);

const limiterTable = (results: readonly CampaignResult[]): string =>
  table(
    ['limiter', 'family', 'keeps', 'kept', 'violated', 'undecided', 'named'],
    foreignLimiters.map(({ name, family, keeps }, place) => {
      const own = results.filter(({ limiter, fault }) => limiter === place && fault === null);
      const count = (verdict: CampaignResult['verdict']): number =>
        own.filter((each) => each.verdict === verdict).length;
      const names = Object.entries(Object.groupBy(own, (each) => each.named ?? 'none'))
        .map(([each, those = []]) => `${each} ${those.length}`)
        .join(', ');
      return [
        name,
        family,
        keeps,
        count('kept'),
        count('violated'),
        count('undecided'),
        names || '–',
      ];
    }),
  );

const powerTable = (results: readonly CampaignResult[]): string =>
  table(
    [
      'fault',
      'must',
      ...settings.map(({ limit, window }) => `${limit} in ${seconds(window)}`),
      'requests',
      'minutes',
    ],
    faultFigures(results).map(({ fault, power, requests, minutes }) => [
      fault.name,
      fault.power === 'must' ? 'yes' : '',
      ...settings.map((cell) =>
        shareText(power(({ limit, window }) => limit === cell.limit && window === cell.window)),
      ),
      requests.toFixed(0),
      minutes.toFixed(1),
    ]),
  );

const familyTable = (results: readonly CampaignResult[]): string => {
  const places = [...new Set(results.map(({ limiter }) => limiter))];
  return table(
    ['fault', ...places.map((place) => foreignLimiters[place]!.family)],
    faultFigures(results).map(({ fault, power }) => [
      fault.name,
      ...places.map((place) => shareText(power(({ limiter }) => limiter === place))),
    ]),
  );
};

const costTable = (results: readonly CampaignResult[]): string => {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return table(
    ['limit', 'requests', 'minutes'],
    settings.map(({ limit, window }) => {
      const own = results.filter((each) => each.limit === limit && each.window === window);
      return [
        `${limit} in ${seconds(window)}`,
        mean(own.map(({ requests }) => requests)).toFixed(0),
        (mean(own.map(({ took }) => took)) / 60_000).toFixed(1),
      ];
    }),
  );
};

const list = (results: readonly CampaignResult[]): string =>
  results.length === 0
    ? 'None.'
    : results
        .map(
          (each) =>
            `- ${foreignLimiters[each.limiter]!.name}: ${each.verdict}, ${each.named ?? 'none'}: \`${reproductionOf(each)}\``,
        )
        .join('\n');

/** The tables of a campaign as Markdown. */
export const campaignReport = (
  compliant: readonly CampaignResult[],
  faulty: readonly CampaignResult[],
): string => {
  const { examinations, falseViolations, undecided, named, wrongNames } =
    compliantFigures(compliant);
  return `# Examinations of limiters of others, in simulated time

${examinations} examinations of limiters that keep their limit: ${falseViolations.length} false violations, ${undecided} undecided. Named right ${named.right}, none ${named.none}, two names of which one is true ${named.tie}, two of which none is ${named.unclear}, a wrong name with a margin ${named.wrong}.

## False violations

${list(falseViolations)}

## Wrong names with a margin

${list(wrongNames)}

## Limiters

${limiterTable(compliant)}

Mean requests and minutes of an examination:

${costTable(compliant)}

## Planted faults: how often they were caught, by limit and window

${powerTable(faulty)}

## Planted faults: how often they were caught, by the limiter that has them

${familyTable(faulty)}
`;
};
