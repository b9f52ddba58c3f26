import type { Variant } from '../variant.js';
import { everyOperation, foremost, hindmost, inTurns, reversed, rotated } from './gate-order.js';

/** Variants that tell another of several things wrong: no precedence among them is stated (§7.1). */
export const precedenceVariants: readonly Variant[] = [
  {
    id: 'gates-reversed',
    section: '7.1',
    description: 'What is wrong with a request is looked for in the opposite order; faults still come last',
    override: everyOperation(reversed),
  },
  {
    id: 'malformed-first',
    section: '7.1',
    description: 'What is malformed (400) is told before anything else that is wrong',
    override: foremost('intern-id', 'secret-name', 'request-body', 'inference-request', 'known-model'),
  },
  {
    id: 'key-first',
    section: '7.1',
    description: 'What is wrong with the key (401) is told before anything else, the hostname included',
    override: foremost('authentication', 'key-enabled', 'no-provisioning-key'),
  },
  {
    id: 'forbidden-first',
    section: '7.1',
    description: 'What is forbidden (403) is told before anything else that is wrong',
    override: foremost('workspace-scope', 'regional-host', 'management-key', 'inference-key'),
  },
  {
    id: 'absence-first',
    section: '7.1',
    description: 'What does not exist (404) is told before anything else that is wrong with a known key',
    override: foremost('secret-exists', 'intern-in-workspace', 'intern-programme', 'guardrail-exists'),
  },
  {
    id: 'writes-disabled-first',
    section: '7.1',
    description: 'Disabled vault writes (503) are told before anything else that is wrong',
    override: foremost('vault-writes'),
  },
  {
    id: 'faults-first',
    section: '7.1',
    description: 'A back end in trouble is told before anything else that is wrong with a known key',
    override: foremost('fault'),
  },
  {
    id: 'name-before-key',
    section: '7.1',
    description: 'A malformed secret name is told before a missing key, but after the hostname',
    override: foremost('regional-host', 'secret-name'),
  },
  {
    id: 'path-after-scope',
    section: '7.1',
    description: "The key's scope and programme are looked at before the path and the body",
    override: hindmost(
      'intern-programme',
      'workspace-scope',
      'intern-id',
      'secret-name',
      'request-body',
      'vault-writes',
      'intern-in-workspace',
      'secret-exists',
    ),
  },
  {
    id: 'host-last',
    section: '7.1',
    description: 'The regional hostname is told only where nothing else is wrong',
    override: hindmost('regional-host'),
  },
  {
    id: 'key-last',
    section: '7.1',
    description: 'A missing, disabled or provisioning key is told only where nothing else is wrong',
    override: hindmost('no-provisioning-key', 'key-enabled', 'authentication'),
  },
  {
    id: 'path-last',
    section: '7.1',
    description: 'A malformed path or body is told only where nothing else is wrong',
    override: hindmost('request-body', 'secret-name', 'intern-id'),
  },
  {
    id: 'existence-before-writes-disabled',
    section: '7.1',
    description: 'That the secret does not exist is told before disabled vault writes',
    override: hindmost('vault-writes'),
  },
  {
    id: 'guardrail-existence-before-key-kind',
    section: '4.2',
    description: 'An ordinary key is told 404 for a guardrail that does not exist, and 403 for one that does',
    override: hindmost('management-key'),
  },
  {
    id: 'limits-before-credit',
    section: '8.1',
    description: 'A rate limit (429) is told before missing credit (402), the limit of the day first',
    override: hindmost('free-day', 'free-minute', 'key-limit', 'account-balance'),
  },
  {
    id: 'gates-rotated-by-3',
    section: '7.1',
    description: 'What is looked at first is what the reference looks at fourth, and so on round',
    override: rotated(3),
  },
  {
    id: 'gates-rotated-by-7',
    section: '7.1',
    description: 'What is looked at first is what the reference looks at eighth, and so on round',
    override: rotated(7),
  },
  {
    id: 'gates-in-turns',
    section: '7.1',
    description: 'Which of several things wrong is told changes from call to call',
    override: inTurns(),
  },
];
