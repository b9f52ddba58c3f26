import type { Failure } from '../spec/report.js';

const knownRoutes = ['vault', 'guardrails', 'key', 'chat'] as const;

/**
 * What a violation is about, so that two runs with other seeds, names and ids agree on it: the route and the status that
 * answered, `vault 204`. The method is no part of it: a rule on every response meets one or another. Two violations of one requirement differ in it, or are the same.
 */
export function situationOf({ exchanges }: Pick<Failure, 'exchanges'>, baseUrl: string | null): string {
  const shown = exchanges.at(-1);
  if (shown === undefined) return 'no exchange';
  const { request, response } = shown;
  return `${routeOf(request.url, baseUrl)} ${response?.status ?? 'no answer'}`;
}

function routeOf(url: string, baseUrl: string | null): string {
  const base = baseUrl === null ? '' : pathOf(baseUrl).replace(/\/+$/, '');
  const path = pathOf(url);
  const first = (path.startsWith(base) ? path.slice(base.length) : path).split(/[/?#]/)[1];
  return knownRoutes.find((route) => route === first) ?? 'elsewhere';
}

// Taken apart as text: a URL parser would resolve the dot segments that some requests are about.
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}
