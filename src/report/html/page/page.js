/*
 * Adds pictures, tables of their values and themes to a report, from the embedded data. The page
 * already contains everything that needs no script.
 */

const root = document.documentElement;

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

/** @param {PageData} data */
const offerTables = (data) => {
  for (const chart of data.charts) {
    const details = document.querySelector(`details[data-rows="${chart.id}"]`);
    if (!(details instanceof HTMLDetailsElement)) continue;
    details.hidden = false;
    details.addEventListener('toggle', () => {
      if (details.querySelector('table') === null) details.append(tableOf(chart, data));
    });
  }
};

/** Draws all charts, and again when their width or the system's theme changes. @param {PageData} data */
const keepDrawn = (data) => {
  /** @type {uPlot[]} */
  let plots = [];
  let width = 0;
  const redraw = () => {
    for (const plot of plots) plot.destroy();
    plots = data.charts.flatMap((chart) => {
      const place = document.querySelector(`[data-chart="${chart.id}"]`);
      // In some browsers one in a closed fold has no width: it is drawn when the reader opens it.
      return place instanceof HTMLElement && place.clientWidth > 0
        ? [draw(chart, data, place)]
        : [];
    });
    width = document.body.clientWidth;
  };
  redraw();
  new ResizeObserver(() => {
    if (document.body.clientWidth !== width) redraw();
  }).observe(document.body);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  for (const details of document.querySelectorAll('details:has([data-chart])')) {
    details.addEventListener('toggle', redraw);
  }
  return redraw;
};

/** @param {() => void} redraw */
const offerThemes = (redraw) => {
  const themes = ['automatic', 'light', 'dark'];
  let chosen = 0;
  const show = (theme = themes[chosen]) => {
    root.style.colorScheme = theme === 'automatic' ? '' : (theme ?? '');
    redraw();
  };
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not(.rows)')) {
      details.setAttribute('open', '');
    }
    show('light');
  });
  addEventListener('afterprint', () => show());
  const button = document.getElementById('theme');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    chosen = (chosen + 1) % themes.length;
    button.textContent = `Theme: ${themes[chosen]}`;
    show();
  });
};

const begin = async () => {
  root.classList.add('scripted');
  try {
    const data = await readData();
    offerTables(data);
    offerThemes(keepDrawn(data));
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
