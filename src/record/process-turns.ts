import type { PrometheusSample } from './prometheus-sample.ts';

/** The last drop of a counter: the value before the drop, and the number of readings since the drop. */
interface Fall {
  readonly from: number;
  readings: number;
  hasReturned: boolean;
}

interface Course {
  value: number;
  /** Whether the last reading of the metric contained the series. */
  isPresent: boolean;
  fall: Fall | null;
  /** How often the series was missing and then returned with a value at least as high as its last value. */
  returns: number;
}

/** If a counter drops, regains its old value within this many readings, and drops again, several processes answer. */
const maxReadings = 30;
/**
 * If a series disappears and reappears this many times, several processes answer. One gap may be a pause of the server.
 */
const provingReturns = 2;

/**
 * Detects several processes that take turns to answer at one address, such as workers behind a load balancer. If a
 * single process restarts, its counter drops once and then grows. If several processes take turns, the counter drops,
 * soon has its old value again, and drops again. If a label names the process, series disappear and reappear.
 */
export class ProcessTurns {
  readonly #courses = new Map<string, Map<string, Course>>();
  #areSeveral = false;

  get areSeveral(): boolean {
    return this.#areSeveral;
  }

  add(metric: string, series: ReadonlyMap<string, PrometheusSample>): void {
    if (this.#areSeveral) return;
    const courses = this.#courses.get(metric) ?? new Map<string, Course>();
    this.#courses.set(metric, courses);
    for (const [labels, { value }] of series) {
      if (!Number.isFinite(value)) continue;
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
