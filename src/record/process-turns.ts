import type { PrometheusSample } from './prometheus-sample.ts';

/** A counter that fell: its previous value, and the number of readings since then. */
interface Fall {
  readonly from: number;
  readings: number;
  hasReturned: boolean;
}

/** The history of one series of a counter. */
interface Course {
  value: number;
  /** Whether the last reading of the metric contained the series. */
  isPresent: boolean;
  fall: Fall | null;
  /** How often the series reappeared after it was missing, with at least its earlier value. */
  returns: number;
}

/** The readings within which a counter returns to an earlier value if several processes take turns. */
const maxReadings = 30;
/** The number of returns of one series that proves several processes, since a single one may be a pause. */
const provingReturns = 2;

/**
 * Detects several processes that answer in turn at one address, such as the workers behind a load balancer. When one
 * process restarts, its counter falls and then grows again. With several processes in turn, the counter falls, soon
 * returns to its old height, and falls again. If processes name themselves in a label, series disappear and reappear.
 */
export class ProcessTurns {
  readonly #courses = new Map<string, Map<string, Course>>();
  #areSeveral = false;

  get areSeveral(): boolean {
    return this.#areSeveral;
  }

  /** Adds a reading of a counter, with its samples by their labels. */
  add(metric: string, series: ReadonlyMap<string, PrometheusSample>): void {
    if (this.#areSeveral) return;
    const courses = this.#courses.get(metric) ?? new Map<string, Course>();
    this.#courses.set(metric, courses);
    for (const [labels, { value }] of series) {
      const course = courses.get(labels);
      if (course === undefined)
        courses.set(labels, { value, isPresent: true, fall: null, returns: 0 });
      else this.#follow(course, value);
    }
    for (const [labels, course] of courses) course.isPresent = series.has(labels);
  }

  #follow(course: Course, value: number): void {
    const { fall } = course;
    if (!course.isPresent && value >= course.value) {
      course.returns += 1;
      this.#areSeveral ||= course.returns >= provingReturns;
    }
    if (fall !== null) {
      fall.readings += 1;
      fall.hasReturned ||= value >= fall.from && fall.readings <= maxReadings;
    }
    if (value < course.value) {
      this.#areSeveral ||= fall?.hasReturned === true;
      course.fall = { from: course.value, readings: 0, hasReturned: false };
    }
    course.value = value;
  }
}
