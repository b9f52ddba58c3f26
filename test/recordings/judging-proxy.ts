import { LiveProxy } from '../../recordings/live-proxy.js';
import { ObservedJudge } from '../../recordings/observed-judge.js';
import { ObservedRoutes } from '../../recordings/observed-routes.js';
import { throughProxy } from '../../recordings/recorded-exchange.js';

/** A proxy in this process that judges its traffic. */
export interface JudgingProxy {
  /** The base URL for clients. */
  readonly url: string;
  readonly judge: ObservedJudge;
  /** The requirements that were violated. */
  readonly failed: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a server of the interface. */
export async function startJudgingProxy(baseUrl: string): Promise<JudgingProxy> {
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
