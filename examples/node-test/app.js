import { referenceServer } from 'plumbline-conformance/reference';

// Stands in for your own: an http.Server, a request listener, or the app of Express, Fastify or Koa.
// PLUMBLINE_MUTANT names a broken one, to see what a violation looks like: key-info.figures-of-member.
export const app = referenceServer({ mutant: process.env.PLUMBLINE_MUTANT || undefined });
