import { type InProcessApp, isInProcessApp } from './in-process.js';

/** Where a target is and what may be used of it, as the flags of `plumbline run` say it. */
export interface TargetDescription {
  /** A server in this process: it is listened to on a free port of the loopback address while it is judged. */
  readonly app?: InProcessApp | undefined;
  /** `{base_url}`, the version segment included; of an `app`, a path. The control's or the profile's where absent. */
  readonly baseUrl?: string | URL | undefined;
  /** The control protocol; of an `app`, a path: `/control` where neither it nor a profile is given. */
  readonly control?: string | URL | TargetControl | undefined;
  /** The file that describes a deployment; relative to the folder that the process runs in. */
  readonly profile?: string | undefined;
}

/** A control protocol that asks for a token. */
export interface TargetControl {
  readonly url: string | URL;
  readonly token?: string | undefined;
}

/** What is judged: a base URL, a server in this process, or a description of either. */
export type JudgedTarget = string | URL | InProcessApp | TargetDescription;

/** Checks what is said of a target. Throws TypeError, in words for whoever wrote it. */
export function described(target: JudgedTarget): TargetDescription {
  const description = isInProcessApp(target) ? { app: target } : ofAddress(target);
  const { app, baseUrl, control, profile } = description;
  if (app !== undefined && !isInProcessApp(app))
    throw new TypeError('target.app takes an http.Server, a request listener or the app of a framework.');
  if (app === undefined && baseUrl === undefined && control === undefined && profile === undefined)
    throw new TypeError(
      'The target takes a URL, a server, or at least one of app, baseUrl, control, profile.',
    );
  const isBelow = app !== undefined;
  if (baseUrl !== undefined) addressOf(baseUrl, 'target.baseUrl', isBelow);
  if (control !== undefined) addressOf(controlUrl(control), 'target.control', isBelow);
  return description;
}

function ofAddress(target: string | URL | TargetDescription): TargetDescription {
  if (typeof target === 'string' || target instanceof URL) return { baseUrl: target };
  if (typeof target === 'object' && target !== null) return target;
  throw new TypeError('The target takes a URL, a server in this process, or an object that describes one.');
}

/** The address of a control protocol. */
export function controlUrl(control: string | URL | TargetControl): string | URL {
  return typeof control === 'string' || control instanceof URL ? control : control.url;
}

/** Throws TypeError where an address cannot be used. @param isBelow whether a path of a server will do */
function addressOf(given: string | URL, place: string, isBelow: boolean): void {
  const url = parsed(given, isBelow);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError(
      `${place} takes a URL that begins with http:// or https://${isBelow ? ', or a path' : ''}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${place} takes a URL without a password.`);
}

function parsed(given: string | URL, isBelow: boolean): URL | undefined {
  const below = isBelow && String(given).startsWith('/') ? 'http://127.0.0.1' : undefined;
  return URL.canParse(String(given), below) ? new URL(String(given), below) : undefined;
}
