import { countStatuses, type Verdict } from '../../spec/report.js';
import { explainExit } from '../exit-meaning.js';
import { embeddedServer, type ReportView } from '../report-view.js';
import {
  formatCount,
  formatDuration,
  formatInstant,
  formatNumber,
  statusOrder,
  statusWords,
} from '../wording.js';
import { type Content, h } from './markup.js';
import { linkRequirements, safeText } from './safe-text.js';

const signs: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  'non-conformant': '✕',
  incomplete: '…',
  unjudged: '?',
};

/** Renders the verdict and why, with all that a reader must know before relying on it. */
export function renderVerdict(view: ReportView): Content {
  const { report } = view;
  const { verdict, run } = report;
  const warnings = [...view.warnings, ...view.waiverFaults, ...view.notes];
  return (
    <section class={`verdict ${verdict}`} aria-labelledby="verdict-heading">
      <span class="sign" aria-hidden="true">
        {signs[verdict]}
      </span>
      <div>
        <h1 id="verdict-heading">{verdict}</h1>
        <p class="why">
          {safeText(view.explanation)}; {[...view.exceptions, explainExit(report)].join(', ')}
        </p>
        <p class="quiet">
          {safeText(view.server ?? 'unknown server')}, {safeText(formatInstant(run.started_at))} UTC
        </p>
        {warnings.length > 0 && (
          <ul>
            {warnings.map((warning) => (
              <li class="warning">{safeText(warning)}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

/** Renders what the gate allowed, and the facts about the run. */
export function renderRun(view: ReportView): Content {
  const { waived, excused } = view.report.gate;
  return (
    <section id="run" aria-label="The run">
      {renderGateNote(waived, 'failed, waived')}
      {renderGateNote(excused, 'inconclusive or not exercised, excused by the policy')}
      <details class="note">
        <summary>The run</summary>
        <dl class="facts">
          {listFacts(view).map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function renderGateNote(ids: readonly string[], what: string): Content {
  if (ids.length === 0) return null;
  return (
    <details class="note">
      <summary>
        {formatCount(ids.length, 'requirement')} {what}
      </summary>
      {linkRequirements(ids)}
    </details>
  );
}

function listFacts({ report, insecure }: ReportView): readonly (readonly [name: string, value: Content])[] {
  const { target, run, tool, document, gate } = report;
  const { only, skip } = run.selection;
  const started = run.started_at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
  const address = `${target.base_url ?? 'unknown'}${insecure === undefined ? '' : ` (${insecure})`}`;
  return [
    ['Target', safeText(target.embedded === true ? `${embeddedServer}, ${address}` : address)],
    ['Started', safeText(started)],
    ['Duration', formatDuration(run.duration_ms)],
    ['Seed', run.seed],
    ['Depth', safeText(run.depth)],
    ['Requests', formatNumber(run.requests)],
    ['Cases', formatNumber(run.cases)],
    ['Worlds', target.control ? 'control protocol' : 'profile'],
    ...(run.shard === '1/1' ? [] : [['Shard', safeText(run.shard)] as const]),
    ...(only.length === 0 ? [] : [['Only', safeText(only.join(', '))] as const]),
    ...(skip.length === 0 ? [] : [['Skipped', safeText(skip.join(', '))] as const]),
    ['Gate', `exit code ${gate.exit_code}`],
    ['Tool', safeText(`${tool.name} ${tool.version}`)],
    ['Document', safeText(`version ${document.version}`)],
  ];
}

/** Renders what the run created and could not delete, so that the user has to. */
export function renderLeftBehind({ report, cleanCommand }: ReportView): Content {
  const { left_behind: left } = report.run;
  if (left.length === 0) return null;
  return (
    <details class="note" id="left-behind" open>
      <summary>Left behind on the server ({formatNumber(left.length)})</summary>
      <ul>
        {left.map(({ scope, name, why }) => (
          <li>
            <code>{safeText(`${scope}/${name}`)}</code>: {safeText(why)}
          </li>
        ))}
      </ul>
      <p>
        To remove it: <code>{safeText(cleanCommand)}</code>
      </p>
    </details>
  );
}

/** Renders how many requirements of each area have each status; a number or an area leads to its rows. */
export function renderAreas({ report: { totals }, areas }: ReportView): Content {
  return (
    <section id="areas" aria-labelledby="areas-heading">
      <h2 id="areas-heading">Areas</h2>
      <table class="areas">
        <thead>
          <tr>
            <th scope="col">area</th>
            {statusOrder.map((status) => (
              <th scope="col">{statusWords[status]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {areas.map(({ area, rows }) => {
            const counts = countStatuses(rows);
            return (
              <tr>
                <th scope="row">
                  <a href={`#area=${area}`}>{area}</a>
                </th>
                {statusOrder.map((status) => (
                  <td class={status}>
                    {counts[status] > 0 && <a href={`#status=${status}&area=${area}`}>{counts[status]}</a>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all</th>
            {statusOrder.map((status) => (
              <td class={totals[status] === 0 ? 'quiet' : status}>
                <a href={`#status=${status}`}>
                  <b data-total={status}>{totals[status]}</b>
                </a>
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
