import { spawn } from 'node:child_process';

/**
 * Only these environment variables are passed to the browser, which needs them to find the user's desktop. None of
 * these variables contains a key.
 */
const passedOn =
  /^(?:PATH|Path|HOME|USERPROFILE|SystemRoot|(?:LOCAL)?APPDATA|USER|LOGNAME|SHELL|LANG|LC_\w+|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_\w+|DESKTOP_SESSION|GNOME_\w+|KDE_\w+|BROWSER|WSL\w*)$/;

/**
 * The program that opens the browser is watched for this many ms. The time is limited, since on some systems the
 * program runs as long as the browser.
 */
const patience = 3000;

/**
 * The program that opens the browser, with its first arguments. Systems that are not listed use `xdg-open` of
 * freedesktop.org.
 */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};
const [browserOpener, ...openerArguments] = openers[process.platform] ?? ['xdg-open'];

/**
 * Opens an address in the system's browser, without a shell. Returns a sentence about the failure, or `null` if the
 * program did not fail within `patience` ms.
 */
export const openSystemBrowser = async (address: string): Promise<string | null> => {
  const environment = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const child = spawn(browserOpener, [...openerArguments, address], {
    env: Object.fromEntries(environment),
    stdio: 'ignore',
    detached: true,
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  child.once('error', (error: NodeJS.ErrnoException) =>
    resolve(error.code === 'ENOENT' ? `${browserOpener} is not installed` : error.message),
  );
  child.once('exit', (code, signal) =>
    resolve(code === 0 ? null : `${browserOpener} ended with ${signal ?? `exit code ${code}`}`),
  );
  const timer = setTimeout(() => resolve(null), patience);
  const reason = await promise;
  clearTimeout(timer);
  child.unref();
  return reason === null ? null : `No browser was opened: ${reason}. Open ${address} yourself.`;
};
