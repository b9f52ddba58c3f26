import { referenceServer } from 'plumbline-conformance/reference';

// Replace it by your own: an http.Server, a request listener, or an Express, Fastify or Koa app.
// PLUMBLINE_MUTANT=key-info.figures-of-member starts a faulty one, to show what a violation looks like.
export const app = referenceServer({ mutant: process.env.PLUMBLINE_MUTANT || undefined });
