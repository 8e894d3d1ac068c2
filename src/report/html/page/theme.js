/*
 * Lets the reader choose the theme of a page, and prints the page in the light theme. This is the first script of every
 * page.
 */

const root = document.documentElement;
const themes = ['automatic', 'light', 'dark'];
let chosen = 0;

/** Shows a theme. The event makes the charts draw again in the theme's colours. */
const showTheme = (theme = themes[chosen]) => {
  root.style.colorScheme = theme === 'automatic' ? '' : (theme ?? '');
  document.dispatchEvent(new Event('theme'));
};

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details:not(.rows)')) {
    details.setAttribute('open', '');
  }
  showTheme('light');
});
addEventListener('afterprint', () => showTheme());

const button = document.getElementById('theme');
if (button !== null) {
  button.hidden = false;
  button.addEventListener('click', () => {
    chosen = (chosen + 1) % themes.length;
    button.textContent = `Theme: ${themes[chosen]}`;
    showTheme();
  });
}
