import { LiveProxy } from '../../recordings/live-proxy.js';
import { ObservedJudge } from '../../recordings/observed-judge.js';
import { ObservedRoutes } from '../../recordings/observed-routes.js';
import { throughProxy } from '../../recordings/recorded-exchange.js';

/** Starts a proxy in this process, in front of a server of the interface; `failed` are the requirements that it saw violated. */
export async function startJudgingProxy(baseUrl: string) {
  const target = new URL(baseUrl);
  const routes = new ObservedRoutes({ baseUrl });
  const failed = new Set<string>();
  const judge = new ObservedJudge({
    ...{ baseUrl, inferencePath: '/chat/completions', canaries: [] },
    onFinding: ({ requirement }) => failed.add(requirement),
  });
  const proxy = await LiveProxy.listen({
    ...{ target, host: '127.0.0.1', port: 0, tls: {} },
    isWatched: (url) => routes.below(url) !== undefined,
    onPassed: (passed) => judge.takePassed(passed, throughProxy),
  });
  const url = `${proxy.origin.replace('127.0.0.1', target.hostname)}${target.pathname}`;
  return { url, judge, failed, close: () => proxy.close(0) };
}
