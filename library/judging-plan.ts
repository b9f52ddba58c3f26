import { randomInt } from 'node:crypto';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { defaultPolicy } from '../judge/gate.js';
import { longestTimerMs, type Plan, readCasePath, seedCount } from '../judge/plan.js';
import { Selection } from '../judge/selection.js';
import { UnusablePattern } from '../spec/id-patterns.js';
import type { Policy } from '../spec/report.js';
import { describeSchemaError } from '../targets/schema-errors.js';
import { renderPlace } from '../targets/yaml-file.js';
import type { JudgeOptions } from './judge-options.js';

/** What a run judges and with which cases, checked. */
export interface JudgingPlan {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly options: JudgeOptions;
}

const count = { type: 'integer', minimum: 1, title: 'a whole number of at least 1' };
const amount = { type: 'number', exclusiveMinimum: 0, title: 'a number above 0' };
const seconds = {
  ...amount,
  maximum: Math.floor(longestTimerMs / 1_000),
  title: 'a number of seconds above 0',
};
const pattern = { type: 'string', minLength: 1, title: 'a requirement id, or a pattern over ids' };
const patterns = { type: 'array', items: pattern };
const permission = { type: 'boolean', title: 'true or false' };
const reason = { type: 'string', minLength: 1, title: 'the reason in words' };

function describeObject(properties: object, required: readonly string[] = []): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

const optionsSchema = describeObject({
  depth: { enum: ['quick', 'standard', 'deep'] },
  seed: { ...count, minimum: 0, maximum: seedCount - 1, title: `a whole number below ${seedCount}` },
  path: { type: 'string', title: 'a path as a report names it' },
  cases: count,
  only: patterns,
  skip: patterns,
  concurrency: { ...count, maximum: 10_000, title: 'a whole number from 1 to 10000' },
  rate: amount,
  maxRequests: count,
  maxTime: seconds,
  timeout: seconds,
  signal: {},
  permissions: describeObject({ destructive: permission, inference: permission }),
  policy: describeObject({
    decides: { type: 'array', items: { enum: ['must', 'derived', 'advisory'] } },
    excused: {
      type: 'array',
      items: describeObject({ requirement: pattern, reason }, ['requirement', 'reason']),
    },
  }),
});

let validate: ValidateFunction | undefined;

/** Checks options and plans a run by them. Throws TypeError with a line for each fault. */
export function planJudging(options: JudgeOptions): JudgingPlan {
  validate ??= new Ajv2020({ strict: true, allErrors: true, verbose: true, validateSchema: false }).compile(
    optionsSchema,
  );
  if (!validate(options)) throw new TypeError((validate.errors ?? []).flatMap(describeFault).join('\n'));
  const selection = selectOptions(options);
  for (const { requirement } of options.policy?.excused ?? [])
    assertMatching('policy.excused', [requirement]);
  return { selection, plan: planOptions(options), options };
}

/** Chooses the policy: that of the options, else of the profile, else the default. */
export function choosePolicy({ policy }: JudgeOptions, ofProfile: Policy | undefined): Policy {
  const { decides, excused } = ofProfile ?? defaultPolicy;
  return { decides: policy?.decides ?? decides, excused: policy?.excused ?? excused };
}

function describeFault(error: ErrorObject): readonly string[] {
  const isNoObject = error.keyword === 'type' && error.params.type === 'object';
  return describeSchemaError(error).map(
    ({ place, message }) =>
      `${renderPlace(['options', ...place])}: ${isNoObject ? 'must be an object' : message}`,
  );
}

function selectOptions({ only = [], skip = [] }: JudgeOptions): Selection {
  assertMatching('only', only);
  assertMatching('skip', skip);
  const selection = new Selection({ only, skip });
  if (selection.isEmpty)
    throw new TypeError('options: only and skip leave no requirement. Remove one of them.');
  return selection;
}

/** A pattern that matches nothing is probably mistyped. */
function assertMatching(option: string, only: readonly string[]): void {
  try {
    const [unmatched] = new Selection({ only, skip: [] }).unmatched;
    if (unmatched === undefined) return;
    throw new TypeError(
      `options.${option}: no requirement matches "${unmatched}". "plumbline requirements" lists the IDs.`,
    );
  } catch (error) {
    throw error instanceof UnusablePattern ? new TypeError(`options.${option}: ${error.message}`) : error;
  }
}

function planOptions({ seed, depth = 'standard', cases, path }: JudgeOptions): Plan {
  const replay = path === undefined ? undefined : readCasePath(path);
  if (path !== undefined && replay === undefined)
    throw new TypeError('options.path: must be a path from a report, such as valid-names:0:17:3.');
  if (replay !== undefined && seed === undefined)
    throw new TypeError('options.path: names a case of one seed. Give the seed from the same report.');
  return { seed: seed ?? randomInt(seedCount), depth, cases, replay };
}
