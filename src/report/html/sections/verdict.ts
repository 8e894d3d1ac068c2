import { loadText } from '../../summary/load-text.ts';
import type { Result } from '../../../model/result/result.ts';
import type { TrustSignal, Trust, TrustLevel } from '../../../model/result/verdict.ts';
import { plural, timeText } from '../../text/number-text.ts';
import { runLimitsVerdict } from '../../summary/run-limits-text.ts';
import { runVerdict } from '../../summary/run-verdict.ts';
import { addressText } from '../../summary/plan-terms.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { slicesText } from '../../summary/slices-text.ts';

const glyph = { valid: '✓', degraded: '!', invalid: '✕' } as const satisfies Record<
  TrustLevel,
  string
>;

const evidenceRow = ({ signal, level, observed, expected, advice }: TrustSignal): Markup =>
  markup`<tr>
    <th scope="row">${signal}</th>
    <td><span class="level ${level}">${level}</span></td>
    <td>${observed}</td>
    <td>${expected}</td>
    <td>${advice ?? '–'}</td>
  </tr>`;

const evidenceTable = ({ level, evidence }: Trust): Markup | null =>
  evidence.length === 0
    ? null
    : markup`<details class="evidence"${level === 'valid' ? null : markup` open`}>
        <summary>Evidence: ${plural(evidence.length, 'signal')} of the generator</summary>
        <div class="scroll" role="group" aria-label="Evidence" tabindex="0">
          <table>
            <caption>
              The generator’s signals against their levels
            </caption>
            <thead>
              <tr>
                <th scope="col">Signal</th>
                <th scope="col">Level</th>
                <th scope="col">Seen</th>
                <th scope="col">Healthy</th>
                <th scope="col">What to do</th>
              </tr>
            </thead>
            <tbody>
              ${evidence.map(evidenceRow)}
            </tbody>
          </table>
        </div>
      </details>`;

/** Whether to believe the figures, before any of them. */
export const verdictSection = (result: Result, trust: Trust): Markup => {
  const { level, title, sentences } = runVerdict(result, trust);
  const limits = runLimitsVerdict(result);
  return markup`<section id="verdict" class="verdict ${level}" aria-labelledby="verdict-title">
    <h2 id="verdict-title">
      <span class="glyph" aria-hidden="true">${glyph[level]}</span>${title}
    </h2>
    ${sentences.map((sentence) => markup`<p>${sentence}</p>`)}
    ${limits === null ? null : markup`<p><strong>${limits.text}.</strong> <a href="#keys">What was seen</a></p>`}
    ${
      result.notes.length === 0
        ? null
        : markup`<ul class="notes">
            ${result.notes.map((note) => markup`<li>${note}</li>`)}
          </ul>`
    }
    ${evidenceTable(trust)}
  </section>`;
};

/** What ran, in one line. */
export const runLineMarkup = ({ plan, ...result }: Result): Markup => {
  const loads = plan.stages.map(({ name, load }) => `${name} ${loadText(load)}`);
  const parts = [
    addressText(result.baseUrl),
    ...loads,
    plan.warmUp === 0 ? 'no warm-up' : `first ${timeText(plan.warmUp)} warm-up`,
    `load ended after ${timeText(result.scheduled)}, last answer after ${timeText(result.ended)}`,
    plural(plan.keys.length, 'key'),
    ...slicesText(result),
  ];
  return markup`<p class="ran">${parts.map((part) => markup`<span>${part}</span>`)}</p>`;
};
