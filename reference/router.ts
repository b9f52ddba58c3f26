import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { match, type ParamData } from 'path-to-regexp';

/** The parameters of a path by name, decoded; of a wildcard the segments. */
export type PathParameters = Readonly<ParamData>;

/** Answers a request. What it throws, or rejects with, goes to the router's `onError`. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  parameters: PathParameters,
) => void | Promise<void>;

/** What serves a path. */
export interface Route {
  /** A pattern of path-to-regexp, or several. */
  readonly path: string | readonly string[];
  /** By method; a HEAD is served as a GET. */
  readonly methods?: Readonly<Record<string, Handler>>;
  /** Serves the methods that are not named; where absent, the routes that follow are asked. */
  readonly others?: Handler;
}

/** What a router does besides serving its routes. */
export interface RouterOptions {
  /** Where its paths begin, without a slash at the end; they begin at the root where absent. */
  readonly below?: string;
  /** Serves what no route serves. */
  readonly otherwise: Handler;
  /** Called with a URIError where a path that a route matches is not well-formed. */
  readonly onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void;
}

/** Serves each request by the first route that matches; letters count as written, and so does a slash at the end. */
export function makeRouter(
  routes: readonly Route[],
  { below = '', otherwise, onError }: RouterOptions,
): RequestListener {
  const known = routes.map(({ path, ...handlers }) => ({
    ...handlers,
    parametersOf: match([path].flat(), { sensitive: true, trailing: false }),
  }));
  return async (request, response) => {
    try {
      const path = pathOf(request).slice(below.length);
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
      for (const { parametersOf, methods, others } of known) {
        const matched = parametersOf(path);
        const handle = matched === false ? undefined : (methods?.[method] ?? others);
        if (matched !== false && handle !== undefined) return await handle(request, response, matched.params);
      }
      await otherwise(request, response, {});
    } catch (error) {
      onError(error, request, response);
    }
  };
}

/** The path of a request's target, still percent-encoded; a target in absolute form has one too. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}
