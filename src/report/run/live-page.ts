import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { list, type ReportDocument, text } from '../document/document.ts';
import { htmlPage } from '../document/html-page.ts';
import { embeddedData, type PageAssets, pageScripts } from './run-page.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { markup, type Markup } from '../text/markup.ts';
import { countText, plural } from '../text/number-text.ts';
import { timeProgressText } from './progress.ts';
import { runCharts } from './run-charts.ts';
import { runDocument } from './run-document.ts';

/** The facts about a run in progress. */
export interface LiveRun {
  readonly weir: string;
  readonly name: string;
  /** The planned length of the load. */
  readonly planned: Milliseconds;
  /** The path of the finished report. */
  readonly report: string;
  /** The progress; `null` before the run's clock starts. */
  readonly progress: {
    readonly elapsed: number;
    readonly due: number;
    readonly inFlight: number;
    readonly endedBefore?: number | undefined;
  } | null;
  /** The figures up to the moment `until` in ms; `null` before the first figures. */
  readonly soFar: {
    readonly result: Result;
    readonly trust: Trust;
    readonly until: number;
    /**
     * Every request that was due before this moment has ended, so the figures contain it; absent if the moment is
     * unknown.
     */
    readonly endedBefore?: number | undefined;
  } | null;
}

export interface LiveAssets extends PageAssets {
  readonly liveScript: string;
}

/** Empty scripts and styles for updates, since an open page already has scripts and styles. */
const noAssets: LiveAssets = {
  chartScript: '',
  chartStyle: '',
  themeScript: '',
  pageScript: '',
  pageStyle: '',
  liveScript: '',
};

const progressMarkup = ({ progress, planned }: LiveRun): Markup => {
  if (progress === null) return markup`<p>Preparing: no request has been sent yet.</p>`;
  const { elapsed, due, inFlight } = progress;
  const said = [
    timeProgressText({ elapsed, scheduled: planned }, inFlight),
    `${plural(due, 'request')} due`,
    `${countText(inFlight)} in flight`,
  ].join(' · ');
  return markup`<progress aria-label="Progress of the load" max="${planned}" value="${Math.min(planned, Math.round(elapsed))}"></progress><p>${said}</p>`;
};

/** Formats the progress, and the button that stops the run. */
const barMarkup = (
  run: LiveRun,
): Markup => markup`<aside id="live" class="live" aria-label="The run under way">
<div id="progress">${progressMarkup(run)}</div>
<button id="stop" type="button" hidden>Stop the run</button>
<p id="live-said" role="status" data-report="${run.report}"><noscript>This page needs JavaScript to follow the run; without it, load it again.</noscript></p>
</aside>
`;

const verdict = { text: 'Running', tone: 'plain' } as const;

const emptyDocument = ({ weir, name, report }: LiveRun): ReportDocument => ({
  weir,
  title: name,
  verdict,
  introduction: [text('The first figures follow within a few seconds of the load.')],
  blocks: [],
  footer: `Measured by Weir ${weir}. The report will be ${report}.`,
});

const documentSoFar = (run: LiveRun, soFar: NonNullable<LiveRun['soFar']>) => {
  const { result, trust, until, endedBefore } = soFar;
  // The current second is left out. It is incomplete, so its values would look like a drop.
  const timeline = result.timeline.filter(({ second }) => (second + 1) * 1000 <= until);
  const ended = milliseconds(Math.floor(until / 1000) * 1000);
  const scheduled = milliseconds(Math.min(result.scheduled, ended));
  const charts = runCharts({ ...result, timeline, ended, scheduled }, trust, endedBefore);
  const { load, sentences } = runVerdict(result, trust);
  const unendedText =
    endedBefore === undefined
      ? 'The last seconds of the charts lack the requests in flight.'
      : 'The rates offered and sent are drawn up to the oldest request in flight; the other lines lack those in flight in their last seconds.';
  const document: ReportDocument = {
    ...runDocument(result, trust, charts),
    verdict,
    introduction: [
      text(
        `Figures of the requests that have ended so far: ${load.toLowerCase()}. ${unendedText} The verdict follows when the run has ended.`,
      ),
      ...sentences.map((sentence) => text(sentence)),
      list(result.notes),
    ],
    footer: `Measured by Weir ${run.weir}, started ${result.startedAt}. The report will be ${run.report}.`,
  };
  const data = embeddedData(result, Object.values(charts).flat(), run.planned);
  return { document, data };
};

/** Writes the page of a run in progress: the page of the finished report, but with a progress bar and a stop button. */
export const livePage = (run: LiveRun, assets: LiveAssets): string => {
  const { document, data } =
    run.soFar === null ? { document: emptyDocument(run), data: '' } : documentSoFar(run, run.soFar);
  const scripted = pageScripts(assets, data);
  return htmlPage(document, assets.pageStyle, {
    ...scripted,
    scripts: [...scripted.scripts, assets.liveScript],
    live: barMarkup(run),
  });
};

/** Writes the page of a run in progress without scripts and styles, for an update. */
export const livePageUpdate = (run: LiveRun): string => livePage(run, noAssets);
