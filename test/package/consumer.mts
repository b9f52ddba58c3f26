import { createServer } from 'node:http';
import { test } from 'node:test';
import express from 'express';
import {
  conformance,
  type Failure,
  type JudgeOptions,
  judge,
  type Report,
  type RequirementId,
  type Status,
  type Verdict,
} from 'plumbline-conformance';
import { referenceServer } from 'plumbline-conformance/reference';

// What a project may write that uses the library; compiled by the package test against the packed types.

const options: JudgeOptions = { depth: 'quick', seed: 7, only: ['auth.*', 'key-info.200.read'], maxTime: 60 };

const report: Report = await judge(referenceServer({ mutant: process.env.MUTANT }), options);
const verdict: Verdict = report.verdict;
const statuses: ReadonlyMap<RequirementId, Status> = new Map(
  report.requirements.map(({ id, status }) => [id, status]),
);
const failures: readonly Failure[] = report.checks.flatMap(({ failure }) => failure ?? []);
console.log(verdict, statuses.get('auth.bearer'), failures.length);

// What may be judged.
conformance(test, 'https://staging.example/v1');
conformance(test, {
  baseUrl: new URL('https://staging.example/v1'),
  control: { url: 'https://c.example', token: 't' },
});
conformance(
  test,
  { profile: 'plumbline.yaml' },
  { permissions: { destructive: true }, concurrency: undefined },
);
conformance(test, createServer());
conformance(test, (request, response) => response.end(request.url));
conformance(test, { app: express(), baseUrl: '/v1', control: '/control' }, options);
conformance(test, { app: express(), profile: 'plumbline.yaml' });
conformance(test, express());
conformance(test, { ready: async () => undefined, server: createServer() });

// @ts-expect-error there is no such option
conformance(test, createServer(), { sede: 7 });
// @ts-expect-error there is no such member
conformance(test, { profil: 'plumbline.yaml' });
// @ts-expect-error there is no such row
statuses.get('auth.beare');
