import type { Failure, Report, ReportedExchange, ReportedRequirement } from '../spec/report.js';
import { quoteForShell, typedCommand } from '../spec/version.js';
import { nameFault } from './fault-names.js';
import { explainMissingEvidence, listFailed, splitFailed } from './report-view.js';
import { type Form, isAboutForm, isLoss, isSuccess, readSymptom, type Symptom, scopeOf } from './symptoms.js';
import { formatConfirmed, formatCount } from './wording.js';

/** A violation with its place among those of the report, by which `plumbline replay` finds it. */
export interface NumberedFailure {
  readonly number: number;
  readonly failure: Failure;
}

/** Violations that have one fault of the server as their cause. Its texts may repeat what the server sent. */
export interface Cause {
  /** Names the fault, without a full stop: `vault-delete answers 403 where 401 is due`. */
  readonly fault: string;
  /** The requirements that it violates, every `must` first. */
  readonly requirements: readonly ReportedRequirement[];
  /** The violations, in the order of the report; none where the report has no evidence. */
  readonly failures: readonly NumberedFailure[];
  /** The violation that takes the fewest steps to see. */
  readonly simplest: NumberedFailure | undefined;
  /** Whether it explains most of what the gate does not let pass, beside other causes. */
  readonly isMost: boolean;
}

/**
 * Groups the violations that decide the verdict by their cause, the largest group first. What the gate lets pass does not
 * count for the order.
 */
export function groupByCause(report: Report): readonly Cause[] {
  const { deciding } = splitFailed(report);
  const rows = new Map<string, ReportedRequirement>(deciding.map(({ requirement: row }) => [row.id, row]));
  const shown = numberFailures(report)
    .filter(({ failure }) => rows.has(failure.requirement))
    .map((numbered): Shown => ({ ...numbered, symptom: readSymptom(numbered.failure) }));
  const withEvidence = groupSymptoms(shown).map((group) => {
    const ids = new Set<string>(group.map(({ failure }) => failure.requirement));
    return {
      fault: nameFault(group.map(({ symptom }) => symptom)),
      requirements: [...rows.values()].filter(({ id }) => ids.has(id)),
      failures: group.map(({ number, failure }) => ({ number, failure })),
      simplest: findSimplest(group),
    };
  });
  const withoutEvidence = deciding
    .filter(({ failures }) => failures.length === 0)
    .map(({ requirement }) => ({
      fault: `${requirement.id}: ${explainMissingEvidence(requirement).replace(/\.$/, '')}`,
      requirements: [requirement],
      failures: [],
      simplest: undefined,
    }));
  const causes = [...withEvidence, ...withoutEvidence];
  const { waived, newer } = report.gate;
  const passedOver = new Set([...waived, ...newer]);
  const countOpen = (some: Iterable<ReportedRequirement>) =>
    [...some].filter(({ id }) => !passedOver.has(id)).length;
  const all = countOpen(rows.values());
  return causes
    .map((cause) => ({ cause, open: countOpen(cause.requirements) }))
    .sort(
      (one, other) =>
        other.open - one.open || other.cause.requirements.length - one.cause.requirements.length,
    )
    .map(({ cause, open }) => ({ ...cause, isMost: causes.length > 1 && 2 * open > all }));
}

/** Renders a cause as one sentence: `61 requirements: refusals are answered 200 text/html. Fix this first.` */
export function renderCause({ fault, requirements, isMost }: Cause): string {
  return `${formatCount(requirements.length, 'requirement')}: ${fault}.${isMost ? ' Fix this first.' : ''}`;
}

/**
 * Renders the command that sends the simplest violation of a cause again; undefined where there is no evidence.
 * @param directory the folder of the report, where it is known
 */
export function renderReplayCommand({ simplest }: Cause, directory = 'DIR'): string | undefined {
  return simplest && (renderReplay(simplest, directory) ?? simplest.failure.reproduce.command);
}

/**
 * Renders the command that sends a violation again with all its steps; undefined where the report does not say which check
 * made it.
 * @param directory the folder of the report, where it is known
 */
export function renderReplay({ number, failure }: NumberedFailure, directory = 'DIR'): string | undefined {
  if (failure.reproduce.origin === undefined) return undefined;
  return `${typedCommand} replay ${quoteForShell(directory)} ${number}`;
}

/**
 * Lists the command that sends each violation of a report again, where the report says which check made it.
 * @param directory the folder of the report, where it is known
 */
export function listReplayCommands(report: Report, directory?: string): ReadonlyMap<Failure, string> {
  return new Map(
    numberFailures(report).flatMap((one) => {
      const command = renderReplay(one, directory);
      return command === undefined ? [] : [[one.failure, command]];
    }),
  );
}

/**
 * Renders what it takes to believe a violation, and to see it again, a line each.
 * @param replay the command that sends it again with all its steps
 */
export function renderEvidence(failure: Failure, replay: string | undefined): readonly string[] {
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

/** Lists every violation of a report in the order in which `plumbline replay` counts them. */
export function numberFailures(report: Report): readonly NumberedFailure[] {
  return listFailed(report)
    .flatMap(({ failures }) => failures)
    .map((failure, at) => ({ number: at + 1, failure }));
}

interface Shown extends NumberedFailure {
  readonly symptom: Symptom;
}

/** Finds the violation of the fewest steps; one of a check that is written out before those of generated cases. */
function findSimplest(group: readonly Shown[]): NumberedFailure | undefined {
  const isGenerated = ({ failure }: Shown) => Number(failure.reproduce.origin?.path !== undefined);
  const steps = ({ failure: { exchanges } }: Shown) => exchanges.length || Number.POSITIVE_INFINITY;
  const [simplest] = [...group].sort(
    (one, other) =>
      isGenerated(one) - isGenerated(other) ||
      steps(one) - steps(other) ||
      one.symptom.allowed.length - other.symptom.allowed.length ||
      one.symptom.request.length - other.symptom.request.length,
  );
  return simplest && { number: simplest.number, failure: simplest.failure };
}

// ── Grouping ──

/** Groups violations by the fault that explains them. */
function groupSymptoms(shown: readonly Shown[]): readonly (readonly Shown[])[] {
  const keys = new CauseKeys(shown);
  joinMembers(shown, keys);
  joinRefusals(shown, keys);
  joinStrictness(shown, keys);
  joinSameRequirement(shown, keys);
  joinAnyStatus(shown, keys);
  joinConsequences(shown, keys);
  return keys.groups();
}

/** The group of each violation, which begins with what it shows itself and can be joined with others. */
class CauseKeys {
  readonly #keys: Map<Shown, string>;

  constructor(shown: readonly Shown[]) {
    this.#keys = new Map(shown.map((one) => [one, findKey(one, shown)]));
  }

  keyOf(one: Shown): string {
    return this.#keys.get(one) ?? '';
  }

  /** Joins the whole group of one violation to that of another. */
  join(one: Shown, other: Shown): void {
    const [from, to] = [this.keyOf(one), this.keyOf(other)];
    if (from === to) return;
    for (const [member, key] of this.#keys) if (key === from) this.#keys.set(member, to);
  }

  groups(): readonly (readonly Shown[])[] {
    const groups = new Map<string, Shown[]>();
    for (const [one, key] of this.#keys) groups.set(key, [...(groups.get(key) ?? []), one]);
    return [...groups.values()];
  }
}

function findKey(one: Shown, shown: readonly Shown[]): string {
  const { operation, due, got, wrong, fields, condition, form, secret } = one.symptom;
  if (isOfForm(one, shown))
    return `form ${form?.kind} ${form?.type} ${statusesOf(form, shown).size > 1 ? '' : got}`;
  if (typeof got === 'string') return `lost ${operation} ${got}`;
  // What lacks several headers has one cause.
  if (wrong === 'header') return `headers ${operation} ${got}`;
  if (wrong === 'body') return `body ${operation}`;
  if (fields.length > 0) return `fields ${scopeOf(one.symptom)} ${fields.join()}`;
  if (isLoss(one.symptom)) return `secret ${secret}`;
  if (due === undefined) return one.failure.requirement;
  // Who may ask is decided in one place for all operations.
  const place = due === 401 ? '' : operation;
  const answer = describeGot(one);
  if (condition === 'host' && answer !== 'success') return `${condition} ${answer}`;
  // What refuses with a wrong status does so to all; what serves lets some in.
  const whom = answer === 'success' || isSuccess(due) ? condition : '';
  return ['status', place, isSuccess(due) ? 'success' : due, answer, whom].join(' ');
}

/** Returns the wrong status; alike for a 200 and a 204 where a refusal was due. */
function describeGot({ symptom: { due, got } }: Shown): string {
  return isSuccess(got) && !isSuccess(due) ? 'success' : String(got);
}

/** Whether the form of the answer explains a violation: a wrong status too, where the form came with that one alone. */
function isOfForm(one: Shown, shown: readonly Shown[]): boolean {
  const { form, due, got, fields } = one.symptom;
  if (isAboutForm(one.symptom)) return true;
  // Where JSON is only announced as something else its members can be read.
  if (fields.length > 0) return form !== undefined && form.kind !== 'mislabelled';
  return (
    form !== undefined && due !== undefined && [...statusesOf(form, shown)].every((status) => status === got)
  );
}

/** The statuses with which a form came where the status was right. */
function statusesOf(form: Form | undefined, shown: readonly Shown[]): ReadonlySet<Symptom['got']> {
  const ofForm = shown.filter(
    ({ symptom }) =>
      isAboutForm(symptom) && symptom.form?.kind === form?.kind && symptom.form?.type === form?.type,
  );
  return new Set(ofForm.map(({ symptom }) => symptom.got));
}

/**
 * Groups the violations that show several wrong members. One whose members are shown alone too joins these violations. The
 * others form a group for each operation, which takes in violations of the value of one of their members.
 */
function joinMembers(shown: readonly Shown[], keys: CauseKeys): void {
  const several = new Map<string, Shown>();
  for (const one of shown.filter(({ symptom: { fields } }) => fields.length > 1)) {
    const ofScope = shown.filter((other) => scopeOf(other.symptom) === scopeOf(one.symptom));
    const alone = (field: string) =>
      ofScope.find(({ symptom: { fields } }) => fields.length === 1 && fields[0] === field);
    const known = one.symptom.fields.map(alone);
    const single = known.find((other) => other !== undefined);
    const isExplained =
      one.symptom.wrong === 'relation' ? single !== undefined : known.every((other) => other !== undefined);
    const other = isExplained ? single : several.get(scopeOf(one.symptom));
    if (other !== undefined) keys.join(one, other);
    else several.set(scopeOf(one.symptom), one);
  }
  for (const one of shown) {
    const { wrong, fields } = one.symptom;
    const other = several.get(scopeOf(one.symptom));
    if (wrong === 'value' && fields.length === 1 && other?.symptom.fields.includes(fields[0] ?? ''))
      keys.join(one, other);
  }
}

/** So many kinds of refusals with the same wrong answer have one cause: what refuses is wrong, not what decides. */
const manyKinds = 3;

function joinRefusals(shown: readonly Shown[], keys: CauseKeys): void {
  const refusals = shown.filter(({ symptom: { due } }) => typeof due === 'number' && due >= 400);
  for (const got of new Set(refusals.map(describeGot))) {
    const [one, ...others] = refusals.filter((other) => describeGot(other) === got);
    if (one === undefined || new Set([one, ...others].map((each) => keys.keyOf(each))).size < manyKinds)
      continue;
    for (const other of others) keys.join(other, one);
  }
}

/** Joins the refusals of what should succeed to the same in place of another refusal: what is too strict comes first. */
function joinStrictness(shown: readonly Shown[], keys: CauseKeys): void {
  const wrong = shown.filter(({ symptom }) => typeof symptom.due === 'number' && !isSuccess(symptom.got));
  for (const one of wrong.filter(({ symptom }) => isSuccess(symptom.due) && !isLoss(symptom))) {
    const { operation, got, condition } = one.symptom;
    // What is not found was looked for, and so not validated: that is another fault.
    const isUnvalidated = (due: Symptom['due']) => got === 404 && due === 400;
    const others = wrong.filter(
      ({ symptom }) =>
        !isSuccess(symptom.due) &&
        !isUnvalidated(symptom.due) &&
        symptom.operation === operation &&
        symptom.got === got &&
        ['', symptom.model, symptom.condition].includes(condition),
    );
    for (const other of others) keys.join(other, one);
  }
}

/** Joins the wrong answers to what one requirement asks for. */
function joinSameRequirement(shown: readonly Shown[], keys: CauseKeys): void {
  for (const one of shown.filter(({ symptom: { due } }) => due !== undefined)) {
    const first = shown.find(
      ({ failure, symptom }) =>
        failure.requirement === one.failure.requirement && symptom.due === one.symptom.due,
    );
    if (first !== undefined && first !== one) keys.join(one, first);
  }
}

/** Joins what allows several statuses to a violation of the same answer that says which of them was due. */
function joinAnyStatus(shown: readonly Shown[], keys: CauseKeys): void {
  for (const one of shown) {
    const { symptom } = one;
    const { due, allowed } = symptom;
    if (due === undefined || (typeof due === 'number' && allowed.length < 2)) continue;
    const exact = shown.find(({ symptom: other }) => {
      const isSame = other.got === symptom.got && other.operation === symptom.operation;
      if (!isSame || typeof other.due !== 'number') return false;
      if (typeof due === 'string') return true;
      const isAllowed = other.allowed.length === 1 && allowed.includes(other.due);
      return isAllowed && other.condition === symptom.condition;
    });
    if (exact !== undefined) keys.join(one, exact);
  }
}

/** Joins what follows from another violation: a member of what is missing, the loss of what a wrong request took. */
function joinConsequences(shown: readonly Shown[], keys: CauseKeys): void {
  for (const one of shown) {
    const cause = shown.find(
      (other) => other !== one && (isWithin(one, other) || isOfEvent(one, other) || isLossOf(one, other)),
    );
    if (cause !== undefined) keys.join(one, cause);
  }
}

function isWithin(one: Shown, other: Shown): boolean {
  const [outer] = other.symptom.fields;
  return (
    outer !== undefined &&
    scopeOf(one.symptom) === scopeOf(other.symptom) &&
    one.symptom.fields.every((field) => field.startsWith(`${outer}.`)) &&
    one.symptom.fields.length > 0
  );
}

/** Whether an error event was not found since its error is not as it should be. */
function isOfEvent({ failure: { mismatch } }: Shown, { symptom }: Shown): boolean {
  const [field = ''] = symptom.fields;
  return (
    mismatch?.event !== undefined && scopeOf(symptom) === 'event' && ['error', 'error.code'].includes(field)
  );
}

/** Whether a secret is gone since a request before, wrongly done, took it. */
function isLossOf({ symptom, failure }: Shown, other: Shown): boolean {
  const { due, got } = other.symptom;
  const wrong = other.failure.exchanges.at(-1);
  if (!isLoss(symptom) || typeof due !== 'number' || isSuccess(due) || !isSuccess(got)) return false;
  return (
    wrong !== undefined && failure.exchanges.slice(0, -1).some((one) => identify(one) === identify(wrong))
  );
}

/** What two exchanges are compared by, without what each attempt makes up. */
function identify({ request: { method, url }, response }: ReportedExchange): string {
  const path = url.replace(/^.*?\/vault\/interns\/[^/]*/, '').replace(/p?lumb[aeio]{6,}/g, '');
  return `${method} ${path} ${response?.status}`;
}
