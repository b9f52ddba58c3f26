import express, { type ErrorRequestHandler, type Router } from 'express';
import {
  type Capabilities,
  controlCalls,
  describeFailure,
  type Params,
  tokenGuard,
  type Worlds,
} from './protocol.js';

/** The control protocol as a router of Express 5. Throws without a token, and in production. */
export function controlProtocol(
  worlds: Worlds,
  capabilities: () => Capabilities,
  token: string | undefined,
): Router {
  const hasToken = tokenGuard(token);
  const router = express.Router();
  router.use(({ headers }, response, next) => {
    if (hasToken(headers.authorization)) next();
    else response.status(401).json({ error: 'the control token is missing or wrong' });
  });
  router.use(express.json({ limit: '1mb', type: () => true }));
  for (const { method, path, status, answer } of controlCalls(worlds, capabilities))
    router[method](path, async ({ params, body }, response) => {
      const answered = await answer(params as Params, body);
      if (answered === undefined) response.status(status).end();
      else response.status(status).json(answered);
    });
  return router.use(onError);
}

// Express recognizes an error handler by its four parameters.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  const [status, body] = describeFailure(error);
  response.status(status).json(body);
};
