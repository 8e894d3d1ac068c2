/*
 * Updates the page of a run in progress. The server sends the page again and again, and at last the finished report.
 * Only the differences are changed in the open page, so that the reader's folds, scroll position and zoom stay. This
 * file is the last part of the script that begins with `page.js`.
 */

/** The folds that the reader has opened or closed. @type {WeakSet<Element>} */
const chosenFolds = new WeakSet();
document.addEventListener('click', ({ target }) => {
  const fold = target instanceof Element ? target.closest('summary')?.parentElement : null;
  if (fold) chosenFolds.add(fold);
});

/**
 * Returns whether an attribute belongs to the scripts or the reader. An update must not change such an attribute.
 * @param {Element} element @param {string} name
 */
const isOurs = (element, name) =>
  (name === 'open' && (chosenFolds.has(element) || element.matches('[data-rows]'))) ||
  (name === 'hidden' && element.matches('[data-rows]'));

/** @param {Element} element @param {Element} fresh */
const takeAttributes = (element, fresh) => {
  for (const { name } of Array.from(element.attributes)) {
    if (!fresh.hasAttribute(name) && !isOurs(element, name)) element.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (element.getAttribute(name) !== value && !isOurs(element, name))
      element.setAttribute(name, value);
  }
};

/**
 * Returns the node that shows the same content as `fresh`: the node with the same id, or without an id the node at the
 * same place; `null` if there is no such node.
 * @param {Element} parent @param {ChildNode | null} place @param {ChildNode} fresh
 */
const sameNode = (parent, place, fresh) => {
  if (fresh instanceof Element && fresh.id !== '')
    return parent.querySelector(`:scope > ${fresh.localName}[id="${fresh.id}"]`);
  if (place === null || place.nodeName !== fresh.nodeName) return null;
  return place instanceof Element && place.id !== '' ? null : place;
};

/**
 * Makes an element equal to `fresh`. The content that scripts have put into the element stays.
 * @param {Element} element @param {Element} fresh
 */
const take = (element, fresh) => {
  takeAttributes(element, fresh);
  if (element.matches('[data-chart], [data-rows], noscript')) return;
  let place = element.firstChild;
  for (const node of fresh.childNodes) {
    const same = sameNode(element, place, node);
    if (same === null) element.insertBefore(document.importNode(node, true), place);
    else {
      if (same === place) place = place.nextSibling;
      else element.insertBefore(same, place);
      if (same instanceof Element && node instanceof Element) take(same, node);
      else if (same.nodeValue !== node.nodeValue) same.nodeValue = node.nodeValue;
    }
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
};

/** The parts of a page that change during a run. */
const changing = ['title', 'header', 'nav ul', '#progress', 'main', 'footer', '#data'];

/** @param {string} html */
const takePage = async (html) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const place of changing) {
    const [element, fresh] = [document.querySelector(place), page.querySelector(place)];
    if (element !== null && fresh !== null) take(element, fresh);
  }
  if (document.getElementById('data')?.textContent === '') return;
  if (root.classList.contains('scripted')) await show();
  else await begin();
};

const bar = /** @type {HTMLElement} */ (document.getElementById('live'));
const said = /** @type {HTMLElement} */ (document.getElementById('live-said'));
const stopButton = /** @type {HTMLButtonElement} */ (document.getElementById('stop'));
const { report = '' } = said.dataset;

/** Shows a message that stays. @param {string} text */
const say = (text) => {
  said.textContent = text;
};

/** Ends the updates: the figures on the page stay, and the page no longer contacts the server. @param {string} text */
const end = (text) => {
  document.getElementById('progress')?.remove();
  stopButton.remove();
  bar.classList.add('over');
  say(text);
};

const withoutReport = /** @type {Readonly<Record<string, string>>} */ ({
  unwritten:
    'The run has ended, but not all of its files could be written; its terminal says more. These are the last figures that were sent here.',
  ended: `The run has ended without a report. These are the last figures that were sent here; if the run was killed, “weir report” makes a report of what it had saved beside ${report}.`,
});

const follow = () => {
  const events = new EventSource('events');
  /** The updates in progress. Each update waits for the update before. */
  let work = Promise.resolve();
  /** @param {string} name @param {(data: string) => Promise<void> | void} act */
  const on = (name, act) =>
    events.addEventListener(name, ({ data }) => {
      const text = /** @type {string} */ (JSON.parse(/** @type {string} */ (data)));
      work = work.then(() => act(text));
    });
  on('page', takePage);
  on('finished', async (html) => {
    events.close();
    await takePage(html);
    end(
      `The run has ended, and this is its finished report. The server of this page has closed: the page works as long as it is open, and ${report} has the same.`,
    );
  });
  on('gone', (reason) => {
    events.close();
    end(withoutReport[reason] ?? '');
  });
  let isConnected = false;
  events.addEventListener('open', () => {
    if (isConnected) return;
    isConnected = true;
    say('');
  });
  events.addEventListener('error', () => {
    isConnected = false;
    say(
      `No connection to the run. If it is still under way, this page continues by itself; if it has ended, its report is ${report}.`,
    );
  });
};

const requestStop = async () => {
  stopButton.disabled = true;
  try {
    const { ok } = await fetch('stop', { method: 'POST' });
    if (!ok) throw new Error('refused');
    stopButton.textContent = 'Stopping…';
  } catch {
    stopButton.disabled = false;
    say('The request to stop did not reach the run. Press Ctrl-C in its terminal.');
  }
};

stopButton.hidden = false;
stopButton.addEventListener('click', () => {
  void requestStop();
});
follow();
