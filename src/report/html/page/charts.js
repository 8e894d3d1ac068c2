/** @import {Chart, ChartLine, PageData} from '../charts/chart.ts' */

/*
 * Draws one chart: a uPlot canvas with a grey background for warm-up and drain,
 * and marks for failures above. `page.js` follows in the same script and calls these functions.
 */

const plotHeight = 190;
const axisWidth = 58;
const markHeight = 6;

const probe = document.body.appendChild(document.createElement('i'));
probe.hidden = true;

/** A colour of the style sheet in the current theme, by its class or its property. @param {string} name */
const colourOf = (name) => {
  probe.className = name;
  probe.style.color = `var(--mark, var(--${name}))`;
  return getComputedStyle(probe).color;
};

/** @param {number} value */
const numberText = (value) => {
  const digits = Math.abs(value) >= 100 || value === 0 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
};

/**
 * Formats a value for a legend or table; a missing value becomes a dash.
 * @param {number | null | undefined} value @param {string} unit
 */
const valueText = (value, unit) =>
  value === null || value === undefined ? '–' : `${numberText(value)} ${unit}`;

/**
 * Formats a time of the run: in seconds for a short run, in minutes and seconds for a long run.
 * @param {number} time @param {PageData} data
 */
const timeText = (time, { end }) => {
  const rest = Number((end < 180 ? time : time % 60).toFixed(1));
  return end < 180 ? `${rest} s` : `${Math.floor(time / 60)}:${String(rest).padStart(2, '0')}`;
};

/** @param {PageData} data @returns {uPlot.Range.Function} */
const wholeRun =
  ({ end }) =>
  (plot, low, high) => {
    const times = plot.data[0];
    return low === times[0] && high === times.at(-1) ? [0, end] : [low, high];
  };

/**
 * Draws a grey background for warm-up and drain and lines between stages, before the series.
 * @param {uPlot} plot @param {PageData} data
 */
const drawGround = (plot, { warmUp, scheduled, end, stages }) => {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  /** @param {number} time */
  const x = (time) =>
    Math.min(Math.max(plot.valToPos(time, 'x', true), bbox.left), bbox.left + bbox.width);
  ctx.save();
  ctx.font = `${10.5 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  /** @param {string} text @param {number} from @param {number} to */
  const label = (text, from, to) => {
    if (ctx.measureText(text).width + 8 * ratio > to - from) return;
    ctx.fillStyle = colourOf('soft-ink');
    ctx.fillText(text, from + 4 * ratio, bbox.top + 4 * ratio);
  };
  const shaded = /** @type {const} */ ([
    ['warm-up', 0, warmUp],
    ['drain', scheduled, end],
  ]);
  for (const [name, from, to] of shaded) {
    if (to <= from) continue;
    ctx.fillStyle = colourOf('shade');
    ctx.fillRect(x(from), bbox.top, x(to) - x(from), bbox.height);
    label(name, x(from), x(to));
  }
  ctx.strokeStyle = colourOf('soft-ink');
  ctx.setLineDash([ratio, 3 * ratio]);
  for (const [i, { name, from }] of stages.entries()) {
    if (stages.length === 1) break;
    const begin = Math.max(x(from), x(warmUp));
    label(name, begin, x(stages[i + 1]?.from ?? scheduled));
    if (i === 0) continue;
    ctx.beginPath();
    ctx.moveTo(x(from), bbox.top);
    ctx.lineTo(x(from), bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
};

/**
 * Draws a row of marks above the plot for each kind of failure; more failures make a stronger mark.
 * @param {uPlot} plot @param {Chart} chart
 */
const drawMarks = (plot, { marks, step }) => {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top);
  ctx.clip();
  for (const [row, { colour, values }] of marks.entries()) {
    const most = Math.max(...values);
    ctx.fillStyle = colourOf(colour);
    for (const [i, value] of values.entries()) {
      if (value === 0) continue;
      const from = plot.valToPos(i * step, 'x', true);
      const width = Math.max(3 * ratio, plot.valToPos((i + 1) * step, 'x', true) - from - ratio);
      ctx.globalAlpha = 0.45 + 0.55 * (value / most);
      ctx.fillRect(from, bbox.top - (row + 1) * markHeight * ratio, width, 4 * ratio);
    }
  }
  ctx.restore();
};

/**
 * Selects the single values between two gaps, since a line cannot show a single value.
 * @type {uPlot.Series.Points.Filter}
 */
const lonely = ({ data }, index) => {
  const values = Array.from(data[index] ?? [], (value) => value ?? null);
  return values.flatMap((value, i) => {
    const beside = [values[i - 1] ?? null, values[i + 1] ?? null];
    return value !== null && beside.every((other) => other === null) ? [i] : [];
  });
};

const held = uPlot.paths.stepped?.({ align: 1 });

/** @param {ChartLine} line @param {Chart} chart @returns {uPlot.Series} */
const seriesOf = ({ label, colour, style }, { unit, drawn }) => ({
  label,
  stroke: colourOf(colour),
  width: style === 'strong' ? 2 : 1.25,
  ...(style === 'dashed' ? { dash: [4, 4] } : {}),
  ...(drawn === 'held' && held ? { paths: held } : {}),
  points: { show: false, size: 5, filter: lonely },
  value: (_, value, __, i) => (i === null ? '' : valueText(value, unit)),
});

/** Returns the legend's sample of a line. The sample of a dashed line is dashed. @param {ChartLine | undefined} line */
const keyOf = (line) => {
  if (line === undefined) return '';
  const colour = colourOf(line.colour);
  return line.style === 'dashed'
    ? `repeating-linear-gradient(90deg, ${colour} 0 4px, transparent 4px 7px)`
    : colour;
};

/** @param {Chart} chart */
const columnsOf = ({ lines, step, drawn }) => {
  const count = lines[0]?.values.length ?? 0;
  const shift = drawn === 'held' ? 0 : 0.5;
  // With `held`, every value needs an end, and so does the last value.
  const ends = drawn === 'held' ? 1 : 0;
  return /** @type {uPlot.AlignedData} */ ([
    Array.from({ length: count + ends }, (_, i) => (i + shift) * step),
    ...lines.map(({ values }) => [...values, ...values.slice(values.length - ends)]),
  ]);
};

/** @param {Chart} chart @param {PageData} data @param {HTMLElement} place */
// oxlint-disable-next-line no-unused-vars -- page.js, the rest of the same script, calls it
const draw = (chart, data, place) => {
  const axis = {
    stroke: colourOf('soft-ink'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colourOf('rule'), width: 1 },
    ticks: { show: false },
  };
  return new uPlot(
    {
      width: place.clientWidth,
      height: plotHeight + chart.marks.length * markHeight,
      // Half of the last label is beyond the plot.
      padding: [10 + chart.marks.length * markHeight, 20, 0, 0],
      legend: {
        mount: (_, legend) => place.prepend(legend),
        markers: { width: 0, fill: (_, i) => keyOf(chart.lines[i - 1]) },
      },
      cursor: { sync: { key: 'run', scales: ['x', null] }, points: { size: 6 }, y: false },
      scales: {
        x: { time: false, range: wholeRun(data) },
        y: { range: (_, __, high) => [0, high > 0 ? high * 1.12 : 1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          space: 70,
          values: (_, times) => times.map((time) => timeText(time, data)),
        },
        { ...axis, size: axisWidth, space: 34, values: (_, ticks) => ticks.map(numberText) },
      ],
      series: [
        { label: '', value: (_, time, __, i) => (i === null ? '' : `at ${timeText(time, data)}`) },
        ...chart.lines.map((line) => seriesOf(line, chart)),
      ],
      hooks: {
        drawClear: [(plot) => drawGround(plot, data)],
        draw: [(plot) => drawMarks(plot, chart)],
      },
    },
    columnsOf(chart),
    place,
  );
};
