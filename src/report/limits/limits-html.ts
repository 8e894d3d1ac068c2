import { type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type { LimiterIdentification, LimitReport } from '../../model/limits/limit-report.ts';
import { markup, type Markup } from '../text/markup.ts';
import { staticPage } from '../html/elements/static-page.ts';
import { countText, timeText } from '../text/number-text.ts';
import {
  identificationText,
  type CheckOutcome,
  checkOutcomeOf,
  checkSectionText,
  requestsSentText,
  limitsVerdictText,
} from './limits-text.ts';
import { limitsTimeline } from './limits-timeline.ts';

const levels = {
  holds: 'valid',
  violated: 'invalid',
  'does not hold': 'degraded',
  undecided: 'aside',
} as const satisfies Record<CheckOutcome, string>;

const checkRow = (check: LimitCheck): Markup => {
  const outcome = checkOutcomeOf(check);
  return markup`<tr id="${check.id}">
    <th scope="row"><code>${check.id}</code><small>${checkSectionText(check)}</small></th>
    <td class="${levels[outcome]}"><span class="level">${outcome}</span></td>
    <td>${check.claim}<small>${check.observed}</small>
      ${check.evidence.length === 0 ? null : markup`<details><summary>${check.evidence.length} rows of evidence</summary><ul>${check.evidence.map((row) => markup`<li><code>${row}</code></li>`)}</ul></details>`}
    </td>
  </tr>`;
};

const checksTable = ({
  judgement,
}: LimitReport): Markup => markup`<div class="scroll" role="group" aria-label="Claims" tabindex="0">
  <table class="claims">
    <thead><tr><th scope="col">Claim</th><th scope="col">Finding</th><th scope="col">What was seen</th></tr></thead>
    <tbody>${judgement.checks.map(checkRow)}</tbody>
  </table>
</div>`;

const rankingTable = ({
  ranking,
  tolerated,
  decisions,
}: LimiterIdentification): Markup => markup`<div class="scroll" role="group" aria-label="Limiters" tabindex="0">
  <table class="claims">
    <caption>Each class replayed over ${countText(decisions)} decisions, with its best parameters; up to ${countText(tolerated)} wrong pass for a fit</caption>
    <thead><tr><th scope="col">Limiter</th><th scope="col">Wrong</th><th scope="col">What it does</th></tr></thead>
    <tbody>${ranking.map(
      (fit) =>
        markup`<tr><th scope="row">${fit.limiter}</th><td>${countText(fit.wrong)}</td><td>${limiterClasses[fit.limiter]}</td></tr>`,
    )}</tbody>
  </table>
</div>`;

/** The whole report of an examination as one HTML file without scripts. */
export const limitsHtml = (report: LimitReport, pageStyle: string): string => {
  const { judgement, log } = report;
  const { limit, window } = log.declared.requests;
  const level = judgement.violated ? 'invalid' : log.cut === null ? 'valid' : 'degraded';
  const limiter = [
    markup`<p>${identificationText(judgement.declared, limit, window)}</p>`,
    judgement.seen === null
      ? null
      : markup`<p>With the limit that was seen: ${identificationText(judgement.seen, limit, window)}</p>`,
    rankingTable(judgement.seen ?? judgement.declared),
  ];
  return staticPage(
    {
      weir: report.weir,
      title: `Limits of ${report.target}`,
      description: markup`${countText(limit)} requests in ${timeText(window)} for each key, as declared, examined with ${report.model}`,
      introduction: markup`<div class="verdict ${level}"><h2>${limitsVerdictText(report)}</h2></div>
<p class="ran">${requestsSentText(report)}</p>`,
      sections: [
        { id: 'limiter', title: 'Limiter', body: limiter },
        { id: 'claims', title: 'Claims', body: checksTable(report) },
        { id: 'timeline', title: 'Timeline', body: limitsTimeline(report) },
      ],
      footer: `Measured by Weir ${report.weir}, begun ${report.startedAt}.`,
    },
    pageStyle,
  );
};
