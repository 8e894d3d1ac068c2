/*
 * Adds charts and tables of their values to a report, from the embedded data. The page without scripts already contains
 * all other content.
 */

const readData = async () => {
  const text = document.getElementById('data')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return /** @type {PageData} */ (await new Response(stream).json());
};

/** @param {Chart} chart @param {PageData} data */
const tableOf = ({ title, lines, marks, step }, data) => {
  const columns = [...lines, ...marks];
  const table = document.createElement('table');
  table.createCaption().textContent = title;
  const heads = table.createTHead().insertRow();
  for (const label of ['from', ...columns.map((column) => column.label)]) {
    const head = heads.appendChild(document.createElement('th'));
    head.scope = 'col';
    head.textContent = label;
  }
  const body = table.createTBody();
  for (const i of columns[0]?.values.keys() ?? []) {
    const row = body.insertRow();
    row.insertCell().textContent = timeText(i * step, data);
    for (const { values } of columns) row.insertCell().textContent = valueText(values[i], '');
  }
  return table;
};

/** The data that the page shows. A live page replaces the data. @type {PageData | null} */
let shown = null;
/** @type {uPlot[]} */
let plots = [];
let drawnWidth = 0;
/** The end of the run in the data that the plots show, in seconds. */
let drawnEnd = 0;

/**
 * Draws a chart. The part of the run that the reader has selected, and the cursor, stay.
 * @param {Chart} chart @param {PageData} data @param {uPlot | undefined} before
 */
const drawAgain = (chart, data, before) => {
  const place = document.querySelector(`[data-chart="${chart.id}"]`);
  // In some browsers a chart in a closed fold has no width. Such a chart is drawn when the reader opens the fold.
  if (!(place instanceof HTMLElement) || place.clientWidth === 0) return [];
  const plot = draw(chart, data, place);
  const { min = 0, max = drawnEnd } = before?.scales['x'] ?? {};
  if (min > 0 || max < drawnEnd) plot.setScale('x', { min, max });
  const { left = -1, top = -1 } = before?.cursor ?? {};
  if (left >= 0) plot.setCursor({ left, top });
  return [plot];
};

/** Draws all charts. */
const redraw = () => {
  if (shown === null) return;
  const data = shown;
  const before = new Map(plots.map((plot) => [plot.root.parentElement?.dataset['chart'], plot]));
  for (const plot of plots) plot.destroy();
  plots = data.charts.flatMap((chart) => drawAgain(chart, data, before.get(chart.id)));
  drawnEnd = data.end;
  drawnWidth = document.body.clientWidth;
};

/** Fills the table of a chart's values if the reader has opened the table. @param {Element} details */
const fillTable = (details) => {
  const chart = shown?.charts.find(({ id }) => id === details.getAttribute('data-rows'));
  if (shown === null || chart === undefined || !details.hasAttribute('open')) return;
  const table = tableOf(chart, shown);
  const before = details.querySelector('table');
  if (before === null) details.append(table);
  else before.replaceWith(table);
};

/** Shows the embedded data. */
const show = async () => {
  shown = await readData();
  for (const { id } of shown.charts) {
    const details = document.querySelector(`details[data-rows="${id}"]`);
    if (!(details instanceof HTMLDetailsElement)) continue;
    details.hidden = false;
    fillTable(details);
  }
  redraw();
};

/** Draws the charts again when the width or the theme changes, or when the reader opens a fold. */
const keepDrawn = () => {
  new ResizeObserver(() => {
    if (document.body.clientWidth !== drawnWidth) redraw();
  }).observe(document.body);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.addEventListener('theme', redraw);
  const onToggle = (/** @type {Event} */ { target }) => {
    if (!(target instanceof HTMLDetailsElement)) return;
    if (target.matches('[data-rows]')) fillTable(target);
    else if (target.querySelector('[data-chart]') !== null) redraw();
  };
  // The event `toggle` does not bubble.
  document.addEventListener('toggle', onToggle, { capture: true });
};

const begin = async () => {
  // A live page has no data before its run has begun.
  if (document.getElementById('data')?.textContent === '') return;
  root.classList.add('scripted');
  try {
    await show();
    keepDrawn();
    root.classList.add('drawn');
  } catch (reason) {
    root.classList.remove('scripted');
    const trouble = document.getElementById('trouble');
    if (trouble === null) return;
    trouble.hidden = false;
    trouble.textContent = `The charts could not be drawn (${String(reason)}). A browser from 2024 or later draws them; tables and percentile plots are complete without them.`;
  }
};

void begin();
