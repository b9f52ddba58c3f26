import type { Proof, ProvenServer } from '../spec/proof.js';
import { counted, durationText, numberText } from './amount-text.js';
import { inertText } from './inert-text.js';
import { Sheet } from './sheet.js';

const bad: readonly ProvenServer['outcome'][] = ['survived', 'misnamed', 'accused', 'unsettled'];

const told: Readonly<Record<ProvenServer['outcome'], string>> = {
  caught: 'caught',
  accepted: 'accepted',
  survived: 'SURVIVED',
  misnamed: 'caught under another name',
  accused: 'WRONGLY ACCUSED',
  unsettled: 'left undecided',
};

/** What a proof came to, for a terminal: the verdict on the suite, then what it got wrong, then the figures. */
export function proofSummary(
  proof: Proof,
  options: { readonly color: boolean; readonly width: number; readonly files: readonly string[] },
): string {
  const sheet = new Sheet(options);
  const { totals, run, uncovered } = proof;
  const wrong = proof.servers.filter(({ outcome }) => bad.includes(outcome));
  const head = `${totals.caught} of ${counted(totals.mutants, 'mutant')} caught, ${totals.accused} of ${counted(totals.variants, 'variant')} accused${totals.unsettled > 0 ? `, ${totals.unsettled} left undecided` : ''}.`;
  const painter = wrong.length === 0 ? sheet.paint.green : sheet.paint.red;
  return `${[
    ...sheet.prose(run.complete ? head : `Stopped early: ${head}`, 0, painter),
    ...(wrong.length === 0 ? [] : ['', ...wrong.flatMap((server) => wrongLines(server, sheet))]),
    ...(uncovered.length === 0
      ? []
      : ['', ...sheet.prose(`No mutant turns these requirements red: ${uncovered.join(', ')}.`)]),
    '',
    ...sheet.prose(
      `${counted(totals.runs, 'run')} at depth ${run.depth}, seed ${run.seeds.join(', ')}: ${numberText(totals.requests)} requests in ${durationText(run.duration_ms)}. Median of red requirements per mutant ${totals.median_red}; section named for ${totals.section_named} of ${totals.mutants}.${options.files.length === 0 ? '' : ` Written: ${options.files.join(', ')}`}`,
    ),
  ].join('\n')}\n`;
}

function wrongLines(server: ProvenServer, sheet: Sheet): readonly string[] {
  const { id, seed, outcome, verdict, red, inconclusive, turns_red: due, message, notes } = server;
  const labelled = (label: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : sheet.labelled(label, inertText(texts.join(', ')), 2);
  return [
    ...sheet.prose(`${id}: ${told[outcome]} (${verdict}, seed ${seed})`, 0, sheet.paint.bold),
    ...sheet.labelled('what', server.description, 2),
    ...labelled('due', due),
    ...labelled(
      'red',
      red.map((row) => row.id),
    ),
    ...labelled('open', inconclusive),
    ...labelled('said', message === null ? [] : [message]),
    ...labelled('notes', notes),
  ];
}
