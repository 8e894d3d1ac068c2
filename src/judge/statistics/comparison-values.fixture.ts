import type { Share } from '../../model/measures/share.ts';

/**
 * This file contains reference values for comparisons. SciPy 1.17.1 and statsmodels 0.15.0 computed them; each row names
 * the call.
 */

type Bounds = readonly [low: number, high: number];

/**
 * Rows of two shares, degrees of freedom, and the interval of second minus first:
 * `confint_proportions_2indep(second, first, method='newcomb', alpha=2 * norm.sf(t.ppf(0.975, freedom)))`.
 */
export const newcombeByT: readonly (readonly [Share, Share, number, Bounds])[] = [
  [
    { events: 4, of: 400 },
    { events: 12, of: 400 },
    8,
    [-0.004205840426863793, 0.047473951726600704],
  ],
  [{ events: 48, of: 80 }, { events: 56, of: 70 }, 8, [0.025946934824799123, 0.3554532792214349]],
  [
    { events: 20, of: 1000 },
    { events: 45, of: 1200 },
    5,
    [-0.0014957878614523697, 0.03639956489382355],
  ],
  [{ events: 0, of: 300 }, { events: 9, of: 300 }, 18, [0.009261490554899502, 0.05845687579940025]],
  [{ events: 3, of: 50 }, { events: 5, of: 50 }, 2, [-0.26155010445248883, 0.34241493798225575]],
];
