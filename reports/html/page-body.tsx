import type { Report } from '../../spec/report.js';
import { AreaCards } from './area-cards.js';
import { ClassSpread } from './class-spread.js';
import { Facts } from './facts.js';
import { GateNotes } from './gate-notes.js';
import { Ledger } from './ledger.js';
import { LeftBehind } from './left-behind.js';
import { Silences } from './silences.js';
import { Timeline } from './timeline.js';
import { told } from './told.js';
import { Totals } from './totals.js';
import { UnprovenGroups } from './unproven-groups.js';
import { Verdict } from './verdict.js';
import { ViolationList } from './violation-list.js';

/** What the page says, from the verdict to the timeline. */
export function PageBody({ report }: { readonly report: Report }) {
  const { run, gate, requirements, checks, silences, totals, document } = report;
  return (
    <>
      <a class="skip" href="#ledger">
        To the ledger
      </a>
      <header class="top">
        <p class="brand">plumbline</p>
        <PageLinks violated={totals.fail > 0} />
        <button type="button" data-colours data-control hidden>
          Dark colours
        </button>
      </header>
      <main>
        <Verdict report={report} />
        <Facts report={report} />
        <LeftBehind report={report} />
        <GateNotes gate={gate} />
        <Totals totals={totals} />
        <AreaCards requirements={requirements} />
        <ViolationList report={report} />
        <Ledger report={report} />
        <UnprovenGroups report={report} />
        <Silences silences={silences} />
        <ClassSpread checks={checks} />
        <Timeline checks={checks} run={run} />
      </main>
      <footer>
        <p>
          Run {told(run.id)}. Judged by version {told(document.version)} of the document; SHA-256 of its
          OpenAPI form: {told(document.openapi_sha256)}.
        </p>
      </footer>
      <p class="announcement" role="status" data-announcement />
    </>
  );
}

function PageLinks({ violated }: { readonly violated: boolean }) {
  const links = [
    ['areas', 'Areas'],
    ...(violated ? [['violations', 'Violated']] : []),
    ['ledger', 'Ledger'],
    ['unproven', 'Not proven'],
    ['silences', 'Silences'],
    ['spread', 'Cases'],
    ['timeline', 'Timeline'],
  ];
  return (
    <nav aria-label="Parts of this page">
      {links.map(([id, word]) => (
        <a key={id} href={`#${id}`}>
          {word}
        </a>
      ))}
    </nav>
  );
}
