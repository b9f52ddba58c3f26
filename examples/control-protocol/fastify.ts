import type { FastifyPluginAsync } from 'fastify';
import {
  type Body,
  type Capabilities,
  controlCalls,
  describeFailure,
  type Params,
  tokenGuard,
  type Worlds,
} from './protocol.js';

/** The control protocol as a plugin of Fastify 5. Throws without a token, and in production. */
export function controlProtocol(
  worlds: Worlds,
  capabilities: () => Capabilities,
  token: string | undefined,
): FastifyPluginAsync {
  const hasToken = tokenGuard(token);
  return async (app) => {
    app.addHook('onRequest', async ({ headers }, reply) => {
      if (hasToken(headers.authorization)) return;
      await reply.status(401).send({ error: 'the control token is missing or wrong' });
    });
    app.setErrorHandler(async (error, _request, reply) => {
      const [status, body] = describeFailure(error);
      return reply.status(status).send(body);
    });
    // Fastify limits a parameter to 100 characters, and a name may have 255.
    for (const { method, path, status, answer } of controlCalls(worlds, capabilities))
      app[method](path.replace(/:name$/, '*'), async ({ params, body }, reply) => {
        const { '*': name, ...others } = params as Params & { readonly '*': string };
        const answered = await answer({ ...others, name }, body as Body);
        return reply.status(status).send(answered);
      });
  };
}
