import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Depth } from '../../judge/plan.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { endWithTest } from '../ended-with-test.js';
import { folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { findFreePort } from '../servers.js';
import { judgeReference } from './judge-reference.js';

const hasNginx = spawnSync('nginx', ['-v']).error === undefined;

async function startNginx(baseUrl: string, rate: number): Promise<string> {
  const directory = folder();
  // Workers of nginx may run as another user.
  chmodSync(directory, 0o755);
  const port = await findFreePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
    events { worker_connections 256; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
      limit_req_zone $binary_remote_addr zone=all:1m rate=${rate}r/s;
      server {
        listen 127.0.0.1:${port};
        location / {
          limit_req zone=all burst=20 nodelay;
          proxy_pass ${new URL(baseUrl).origin};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header Connection "";
          proxy_buffering off;
        }
      }
    }`,
  );
  const nginx = spawn('nginx', ['-c', config], { stdio: 'ignore' });
  const ended = new Promise((resolve) => nginx.once('exit', resolve));
  endWithTest(async () => {
    nginx.kill();
    await ended;
  });
  const origin = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(origin), { timeout: 10_000 });
  return origin;
}

async function judgeBehindNginx(rate: number, depth: Depth): Promise<Report> {
  const { report } = await judgeReference({
    ...{ checks: allChecks, depth, concurrency: 16, maxTimeMs: 240_000 },
    ...(depth === 'standard' ? { plan: { cases: 10 } } : {}),
    reachedAt: async (baseUrl) => `${await startNginx(baseUrl, rate)}/v1`,
  });
  return report;
}

// These tests mostly wait.
it.concurrent.for([
  [20, 'quick'],
  [100, 'standard'],
] as const)(
  'a server behind nginx that takes %i requests a second is conformant at depth %s',
  // On a busy machine more requests may meet the limit than depth quick has left.
  { timeout: 260_000, retry: 2 },
  async ([rate, depth], { skip }) => {
    skip(!hasNginx, 'no nginx');
    const report = await judgeBehindNginx(rate, depth);
    expect(idsWith(report, 'fail')).toEqual([]);
    expect(report.verdict).toBe('conformant');
  },
);
