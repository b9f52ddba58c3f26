import { findNearestWord } from '../targets/schema-errors.js';
import { type InProcessApp, isInProcessApp } from './in-process.js';

/** Describes a target, as the flags of `plumbline run` do. */
export interface TargetDescription {
  /** A server in this process; while it is judged, it listens on a free loopback port. */
  readonly app?: InProcessApp | undefined;
  /**
   * `{base_url}`, version segment included; for an `app`, a path. If absent, the control's or the profile's. Without either,
   * the keys come from the environment: `PLUMBLINE_KEY_MEMBER` and so on.
   */
  readonly baseUrl?: string | URL | undefined;
  /** The control protocol; for an `app`, a path: `/control` if neither it nor a profile is given. */
  readonly control?: string | URL | TargetControl | undefined;
  /**
   * The file that describes a deployment, relative to the working directory. Each `PLUMBLINE_KEY_<ROLE>` of the environment
   * overrides that key, except for an `app`.
   */
  readonly profile?: string | undefined;
}

/** A control protocol that asks for a token. */
export interface TargetControl {
  readonly url: string | URL;
  /** If absent, `PLUMBLINE_CONTROL_TOKEN` of the environment. */
  readonly token?: string | undefined;
}

/** What is judged: a base URL, a server in this process, or a description of either. */
export type JudgedTarget = string | URL | InProcessApp | TargetDescription;

const targetMembers = ['app', 'baseUrl', 'control', 'profile'] as const;

/** A checked description of a target. */
export interface CheckedTarget extends TargetDescription {
  readonly control?: TargetControl | undefined;
}

/** Checks the description of a target. Throws TypeError. */
export function checkTarget(target: JudgedTarget): CheckedTarget {
  const description = isInProcessApp(target) ? { app: target } : readDescription(target);
  const { app, baseUrl, control, profile } = description;
  assertMembers('target', description, targetMembers);
  if (app !== undefined && !isInProcessApp(app))
    throw new TypeError('target.app must be an http.Server, a request listener or the app of a framework.');
  if (app === undefined && baseUrl === undefined && control === undefined && profile === undefined)
    throw new TypeError(
      `The target must be a URL, a server, or an object with at least one of ${targetMembers.join(', ')}.`,
    );
  const isBelow = app !== undefined;
  if (baseUrl !== undefined) assertAddress(baseUrl, 'target.baseUrl', isBelow);
  const isWithToken = typeof control === 'object' && control !== null && !(control instanceof URL);
  const checked = isWithToken || control === undefined ? control : { url: control };
  if (checked !== undefined) {
    assertMembers('target.control', checked, ['url', 'token']);
    assertAddress(checked.url, 'target.control', isBelow);
  }
  if (profile !== undefined && typeof profile !== 'string')
    throw new TypeError('target.profile must be the path of a file.');
  return { ...description, control: checked };
}

function readDescription(target: string | URL | TargetDescription): TargetDescription {
  if (typeof target === 'string' || target instanceof URL) return { baseUrl: target };
  if (typeof target === 'object' && target !== null) return target;
  throw new TypeError('The target must be a URL, a server in this process, or an object that describes one.');
}

/** Throws TypeError for an unknown member: a misspelt one would be ignored. */
export function assertMembers(place: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = findNearestWord(unknown, known);
  const hint = near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${near}?`;
  throw new TypeError(`${place}.${unknown}: unknown option; ${hint}`);
}

/** Throws TypeError for an unusable address. @param isBelow whether a path is enough */
function assertAddress(given: string | URL, place: string, isBelow: boolean): void {
  const below = isBelow && String(given).startsWith('/') ? 'http://127.0.0.1' : undefined;
  const url = URL.canParse(String(given), below) ? new URL(String(given), below) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError(
      `${place} must be a URL that begins with http:// or https://${isBelow ? ', or a path' : ''}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${place} must not contain a password.`);
}
