import { it } from 'vitest';
import { ids, judged } from './judged.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { replaceGate } from '../../reference/gate.js';
import { conforming } from '../../reference/behaviour.js';
import { transmit } from '../../reference/transmit.js';
import type { Call } from '../../reference/call.js';
import { ROLES, FAULTS, FEATURES } from '../../reference/vocabulary.js';
const count = (call: Call, name='n') => { const n = Number(call.server.memory.get(name) ?? 0) + 1; call.server.memory.set(name, n); return n; };
async function show(name: string, opts: Parameters<typeof judged>[0]) {
  const { report, worldsLeft } = await judged(opts);
  const short = (s: any) => { const l = ids(report, s); return l.length > 12 ? [...l.slice(0,12), `... ${l.length}`] : l; };
  console.log(name, report.verdict, report.gate.exit_code, 'left', worldsLeft, 'req', report.run.requests, 'ms', report.run.duration_ms, 'notes', report.run.notes, 'FAIL', short('fail'), 'INC', short('inconclusive'),
   report.requirements.filter(r=>r.status==='inconclusive').slice(0,3).map(r=>`${r.id}: ${r.reason}`));
  return report;
}
const on404 = (n: (k: number) => boolean): Partial<Behaviour> => ({ answer: (a, call) => a.status === 404 && call.operation === 'vault-delete' && n(count(call)) ? { ...a, status: 500, body: { error: { code: 500, message: 'x' } } } : a });
const noise = (every: number, make: (k: number) => any): Partial<Behaviour> => ({ answer: (a, call) => { const k = count(call); return k % every === 0 ? make(k / every) : a; } });
const env = (code: number, headers = {}) => ({ status: code, headers: { 'Content-Type': 'application/json', ...headers }, body: { error: { code, message: 'busy' } } });

it('x', async () => {
  await show('500 always', { behaviour: on404(() => true), only: ['vault-delete.404.*'] });
  await show('500 once', { behaviour: on404((k) => k === 1) });
  for (let i = 0; i < 3; i++) await show('500 third', { behaviour: on404((k) => k % 3 === 0) });
  await show('500 third only404', { behaviour: on404((k) => k % 3 === 0), only: ['vault-delete.404.*'] });
  await show('500 third c1', { behaviour: on404((k) => k % 3 === 0), only: ['vault-delete.404.similar-intern'], concurrency: 1 });
  await show('500 third words', { behaviour: on404((k) => k % 3 === 0), only: ['secret-name.accepts.words'], concurrency: 1 });
  for (let i = 0; i < 3; i++) await show('noise', { behaviour: noise(60, (k) => [env(503), env(502), env(429, { 'Retry-After': '0' }), env(429, { 'Retry-After': '1' })][k % 4]) });
  for (let i = 0; i < 3; i++) await show('resets', { behaviour: { transmit: (r, a, call) => { if (count(call) % 80 === 0) { r.socket?.destroy(); return; } return transmit(r, a, call); } } });
}, 120000);
it('y', async () => {
  await show('always 502', { behaviour: { answer: (a, call) => call.operation === 'vault-delete' && a.status === 204 ? env(502) : a } });
  const deletes = (name: any): Partial<Behaviour> => ({ gates: { ...conforming.gates, 'vault-delete': replaceGate(conforming.gates['vault-delete'], name, (call, original) => { const r = original(call); const p = r && call.behaviour.findSecret(call); if (p) call.behaviour.removeSecret(call, p); return r; }) } });
  await show('401 deletes', { behaviour: deletes('no-provisioning-key') });
  await show('404 deletes', { behaviour: deletes('intern-programme') });
  await show('503 deletes', { behaviour: deletes('vault-writes') });
  await show('html', { behaviour: { answer: () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html></html>' }) } });
  await show('{}', { behaviour: { answer: () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: {} }) } });
  await show('html502', { behaviour: { answer: (a) => a.status === 502 ? { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<html></html>' } : a } });
  await show('html502 once', { behaviour: { answer: (a, call) => a.status === 502 && count(call) === 1 ? { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<html></html>' } : a } });
  await show('204 unknown third', { behaviour: { answer: (a, call) => call.operation === 'vault-delete' && call.key === undefined && call.headers.authorization?.startsWith('Bearer plumbline-un') && count(call) % 3 === 0 ? { status: 204, headers: {} } : a } });
  await show('no message third', { behaviour: { envelope: (call, r) => r.status === 503 && count(call) % 3 === 0 ? { error: { code: r.status } } : conforming.envelope(call, r) } });
  await show('204 with body', { behaviour: { transmit: (r, a, call) => a.status === 204 ? void r.socket?.end('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello') : transmit(r, a, call) } });
  await show('204 with body keepalive', { behaviour: { transmit: (r, a, call) => a.status === 204 ? void r.socket?.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello') : transmit(r, a, call) }, timeoutMs: 1000 });
  await show('204 with bytes', { behaviour: { transmit: (r, a, call) => a.status === 204 ? void r.socket?.end('HTTP/1.1 204 No Content\r\n\r\nhello') : transmit(r, a, call) } });
}, 120000);
it('z', async () => {
  const r = await show('none', { offers: { roles: ['member'], faults: [], features: [], inference: false, regional: false } });
  for (const q of r.requirements.filter(q=>q.status==='not-exercised').slice(0,60)) console.log(q.id, q.reason);
  for (const role of ROLES) await show(`without ${role}`, { offers: { roles: ROLES.filter(x=>x!==role) } });
  for (const role of FEATURES) await show(`without ${role}`, { offers: { features: FEATURES.filter(x=>x!==role) } });
  await show(`only faults`, { offers: { faults: FAULTS.slice(0,8), features: ['secrets'] } });
  for (const f of FAULTS) await show(`without ${f}`, { offers: { faults: FAULTS.filter(x=>x!==f) } });
  await show(`no inference`, { offers: { inference: false } });
  await show(`no regional`, { offers: { regional: false } });
  for (const only of [['rate-limit.*'],['envelope.*'],['key-info.*'],['guardrail-read.*'],['stream-error.*'],['secrecy.*'],['auth.*'],['vault-delete.*'],['secret-name.*'],['credit-limit.*'],['inference.*'],['envelope.*','key-info.200.read'],['envelope.error'],['*.status-documented'],['key-info.field.*'],['rate-limit.success-headers'],['rate-limit.retry-after-form'],['secrecy.key-echo'], ['stream-error.id']]) await show(`only ${only}`, { only });
}, 120000);
