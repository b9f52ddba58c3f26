import { groupBy } from '../spec/maps.js';
import type { Report, ReportedExchange, ReportedRequirement } from '../spec/report.js';
import { explainMissingEvidence, type NumberedFailure, splitFailed } from './failed-requirements.js';
import { nameFault } from './fault-names.js';
import { findScope, isAboutForm, isLoss, isSuccess, readSymptom, type Symptom } from './symptoms.js';
import { formatConfirmed, formatCount } from './wording.js';

/**
 * Violations with one fault of the server as their common cause; empty without evidence. The lead is the
 * requirement of the simplest, which takes the fewest steps to see. The texts may repeat what the server sent.
 */
export type Cause = ReturnType<typeof groupByCause>[number];

/** Groups the violations that decide the verdict by cause; the cause of most that stops the gate comes first. */
export function groupByCause(report: Report, directory?: string) {
  const { deciding } = splitFailed(report, directory);
  const rows = deciding.map(({ requirement }) => requirement);
  const symptoms = deciding.flatMap(({ failures }) => failures.map(readSymptom));
  const withEvidence = groupSymptoms(symptoms).flatMap((group) => {
    const ids = new Set<string>(group.map(({ failure }) => failure.requirement));
    const simplest = findSimplest(group);
    const lead = rows.find(({ id }) => id === simplest?.failure.requirement);
    if (lead === undefined) return [];
    return [
      {
        fault: nameFault(group),
        requirements: rows.filter(({ id }) => ids.has(id)),
        lead,
        failures: group,
        simplest,
      },
    ];
  });
  const withoutEvidence = deciding
    .filter(({ failures }) => failures.length === 0)
    .map(({ requirement: lead }) => {
      const fault = `${lead.id}: ${explainMissingEvidence(lead).replace(/\.$/, '')}`;
      return { fault, requirements: [lead], lead, failures: [], simplest: undefined };
    });
  const causes = [...withEvidence, ...withoutEvidence];
  const ignored = new Set([...report.gate.waived, ...report.gate.newer]);
  const countOpen = (some: readonly ReportedRequirement[]) =>
    some.filter(({ id }) => !ignored.has(id)).length;
  const all = countOpen(rows);
  // What explains most of what the gate stops is to be fixed first.
  return causes
    .toSorted(
      ({ requirements: one }, { requirements: other }) =>
        countOpen(other) - countOpen(one) || other.length - one.length,
    )
    .map((cause) => ({ ...cause, isMost: causes.length > 1 && 2 * countOpen(cause.requirements) > all }));
}

/** Renders a cause as one sentence: `61 requirements: refusals are answered 200 text/html. Fix this first.` */
export function renderCause({ fault, requirements, isMost }: Cause): string {
  return `${formatCount(requirements.length, 'requirement')}: ${fault}.${isMost ? ' Fix this first.' : ''}`;
}

/** Renders the command that sends the simplest violation of a cause again; undefined without evidence. */
export function renderReplayCommand({ simplest }: Cause): string | undefined {
  return simplest && (simplest.replay ?? simplest.failure.reproduce.command);
}

/** Renders the evidence of a violation and how to reproduce it, one line each. */
export function renderEvidence({ failure, replay }: Omit<NumberedFailure, 'number'>): readonly string[] {
  const { message, expected, actual, confirmed, reproduce } = failure;
  return [
    message,
    `Expected: ${expected}`,
    `Got: ${actual}`,
    `Confirmed: ${formatConfirmed(confirmed)}`,
    `Reproduce: ${reproduce.command}`,
    ...(replay === undefined ? [] : [`Replay: ${replay}`]),
  ];
}

/** Finds the violation that takes the fewest steps; written-out checks go before generated cases. */
function findSimplest(group: readonly Symptom[]): Symptom | undefined {
  const isGenerated = ({ failure }: Symptom) => Number(failure.reproduce.origin?.path !== undefined);
  const steps = ({ failure: { exchanges } }: Symptom) => exchanges.length || Number.POSITIVE_INFINITY;
  const [simplest] = group.toSorted(
    (one, other) =>
      isGenerated(one) - isGenerated(other) ||
      steps(one) - steps(other) ||
      one.allowed.length - other.allowed.length ||
      one.request.length - other.request.length,
  );
  return simplest;
}

/** Groups violations with one fault behind them: those that share a sign, and those that follow from another. */
function groupSymptoms(symptoms: readonly Symptom[]): readonly (readonly Symptom[])[] {
  const groups = new Map(symptoms.map((one) => [one, [one]]));
  const join = (one: Symptom, other: Symptom) => {
    const [from = [], to = []] = [groups.get(one), groups.get(other)];
    if (from === to) return;
    to.push(...from);
    for (const member of from) groups.set(member, to);
  };
  const firsts = new Map<string, Symptom>();
  for (const one of symptoms) {
    for (const sign of listSigns(one)) {
      join(one, firsts.get(sign) ?? one);
      if (!firsts.has(sign)) firsts.set(sign, one);
    }
  }
  for (const one of symptoms) {
    const isCauseOf = (other: Symptom) =>
      isExact(other, one) || isOfEvent(one, other) || isLossOf(one, other);
    join(one, symptoms.find((other) => other !== one && isCauseOf(other)) ?? one);
  }
  joinRefusals(symptoms, groups, join);
  return [...new Set(groups.values())];
}

/** Lists the signs of a fault that a violation shows. Violations that share a sign have one cause. */
function listSigns(symptom: Symptom): readonly string[] {
  const { failure, operation, due, got, fields, condition, form, secret } = symptom;
  if (isOfForm(symptom)) return [`form ${form}`];
  if (typeof got === 'string') return [`lost ${operation} ${got}`];
  // Any of several members may be the wrong one.
  if (fields.length > 0)
    return [...fields, ...(fields.length > 1 ? ['several'] : [])].map(
      (field) => `field ${findScope(symptom)} ${field}`,
    );
  if (isLoss(symptom)) return [`secret ${secret}`];
  if (due === undefined) return [failure.requirement];
  if (isSuccess(got) && !isSuccess(due)) return [`${operation} serves ${due} ${condition}`];
  // Whatever refuses with a wrong status refuses every caller with it.
  return [`${operation} refuses ${isSuccess(due) ? condition : due} ${got}`];
}

function isOfForm(symptom: Symptom): boolean {
  const { form, due, fields } = symptom;
  return form !== undefined && (fields.length > 0 || due !== undefined || isAboutForm(symptom));
}

/** This many kinds of refusals with the same wrong answer share one cause: the code that refuses, not the code that decides. */
const manyKinds = 3;

function joinRefusals(
  symptoms: readonly Symptom[],
  groups: ReadonlyMap<Symptom, unknown>,
  join: (one: Symptom, other: Symptom) => void,
): void {
  const answerOf = ({ got }: Symptom) => (isSuccess(got) ? 'success' : got);
  const refusals = symptoms.filter(({ due }) => typeof due === 'number' && due >= 400);
  for (const alike of groupBy(refusals, answerOf).values()) {
    const kinds = [...groupBy(alike, ({ due }) => due).values()];
    // Where requests of few kinds are served instead of refused, each kind may have a cause of its own.
    const areSeparate = kinds.length < manyKinds && isSuccess(alike[0]?.got);
    for (const [one, ...others] of areSeparate ? kinds : [alike]) {
      if (one === undefined || new Set([one, ...others].map((each) => groups.get(each))).size < manyKinds)
        continue;
      for (const other of others) join(other, one);
    }
  }
}

/** Whether a violation names the one status that was due where another allows several. */
function isExact(cause: Symptom, { due, got, allowed, operation }: Symptom): boolean {
  if (due === undefined || typeof cause.due !== 'number') return false;
  if (cause.got !== got || cause.operation !== operation) return false;
  if (typeof due === 'string') return true;
  return allowed.length > 1 && cause.allowed.length === 1 && allowed.includes(cause.due);
}

/** Whether an error event was not recognized because its error is malformed. */
function isOfEvent({ failure: { mismatch } }: Symptom, cause: Symptom): boolean {
  const [field = ''] = cause.fields;
  return (
    mismatch?.event !== undefined && findScope(cause) === 'event' && ['error', 'error.code'].includes(field)
  );
}

/** Whether a secret is gone because an earlier request deleted it that should have been refused. */
function isLossOf(loss: Symptom, { due, got, failure }: Symptom): boolean {
  const wrong = failure.exchanges.at(-1);
  if (!isLoss(loss) || typeof due !== 'number' || isSuccess(due) || !isSuccess(got)) return false;
  const before = loss.failure.exchanges.slice(0, -1);
  return wrong !== undefined && before.some((one) => identify(one) === identify(wrong));
}

/** Identifies an exchange, without the names that each attempt makes up. */
function identify({ request: { method, url }, response }: ReportedExchange): string {
  const path = url.replace(/^.*?\/vault\/interns\/[^/]*/, '').replace(/p?lumb[aeio]{6,}/g, '');
  return `${method} ${path} ${response?.status}`;
}
