import type { Share } from '../../../model/measures/share.ts';

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

type Values = readonly number[];

/** Rows of two sets and the p of `ttost_ind(second, first, -log(1.1), log(1.1), usevar='unequal')`. */
export const equivalence: readonly (readonly [Values, Values, number])[] = [
  [
    [0.0001, 0.0149, -0.0137, -0.0445, -0.0227],
    [-0.0396, 0.013, 0.077, -0.0146, -0.021],
    0.006781231901851573,
  ],
  [
    [0.0245, 0.0178, 0.0053, -0.0465, -0.0015],
    [0.0848, -0.0172, 0.0271, -0.0451, -0.0145],
    0.006697550461346352,
  ],
  [
    [-0.0921, -0.0118, -0.0634, 0.0136, 0.0078],
    [-0.0393, -0.1558, -0.0569, -0.0324, -0.0243, -0.1065, -0.0539],
    0.03304089896309877,
  ],
  [
    [-0.0489, -0.0404, 0.053, -0.0404, -0.0016, 0.0442, -0.0292, -0.0056, 0.0055, 0.0032],
    [-0.0413, 0.0238, 0.0879, -0.0574, 0.063, 0.026, -0.0121, 0.12, 0.0581, -0.04],
    0.004328156619692997,
  ],
];

interface Regression {
  readonly change: number;
  readonly error: number;
  readonly p: number;
  readonly slope: number;
  readonly slopeP: number;
}

/** Rows of two sets, one after the other, and the coefficients of `OLS(values, [1, isSecond, position])`. */
export const driftByRegression: readonly (readonly [Values, Values, Regression])[] = [
  [
    [0.0022, 0.0473, 0.0543, 0.1105, 0.118],
    [0.17, 0.2232, 0.1897, 0.2461, 0.2561],
    {
      change: 0.02808500000000011,
      error: 0.024796192608082877,
      p: 0.29466838553249824,
      slope: 0.024495000000000003,
      slopeP: 0.000754800569245975,
    },
  ],
  [
    [0.0038, -0.0056, 0.0426, 0.0841, 0.147],
    [0.4344, 0.3903, 0.4362, 0.5094, 0.4602],
    {
      change: 0.25502000000000047,
      error: 0.04439424093924156,
      p: 0.0007024188095696807,
      slope: 0.027340000000000003,
      slopeP: 0.009498313957282598,
    },
  ],
  [
    [-0.0139, -0.0129, 0.0177, -0.0093, -0.0498],
    [0.0389, 0.0325, 0.0757, 0.0072, 0.0009, 0.0106, -0.0136],
    {
      change: 0.089746015037594,
      error: 0.025484465174619608,
      p: 0.006499121197854646,
      slope: -0.009060526315789491,
      slopeP: 0.0344533722418659,
    },
  ],
  [
    [-0.0059, -0.0334, -0.0003, -0.0133, 0.035, 0.0196],
    [0.1993, 0.2201, 0.1898, 0.2316, 0.1998],
    {
      change: 0.17336666666666667,
      error: 0.02358200255373671,
      p: 7.981208137189394e-5,
      slope: 0.006267272727272746,
      slopeP: 0.12992156787617715,
    },
  ],
];
