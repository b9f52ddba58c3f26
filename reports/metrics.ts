import { areaOf } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import { countStatuses, type Report, statuses, verdicts } from '../spec/report.js';
import { safeLine } from './sanitize.js';

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'info' | 'stateset';
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

/** Renders a report as OpenMetrics 1.0 text. Depth and base URL keep the samples of several targets apart. */
export function renderMetrics(report: Report): string {
  const { base_url: baseUrl } = report.target;
  // A run refuses an address with a password; a report that somebody edited may have one.
  const common: Labels = {
    depth: report.run.depth,
    ...(baseUrl === null ? {} : { target: safeLine(baseUrl.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1')) }),
  };
  return `${listFamilies(report)
    .flatMap((family) => renderFamily(family, common))
    .join('\n')}\n# EOF\n`;
}

function listFamilies(report: Report): readonly Family[] {
  const { gate, requirements, run, tool, verdict } = report;
  const groups = groupBy(requirements, ({ id, level }) => `${areaOf(id)} ${level}`);
  const counts = [...groups.values()].flatMap((rows) => {
    const [{ id, level } = { id: '', level: '' }] = rows;
    const totals = countStatuses(rows);
    // Every status of an area, so that a count that falls to 0 is still reported.
    return statuses.map((status) => ({ labels: { area: areaOf(id), level, status }, value: totals[status] }));
  });
  return [
    {
      name: 'plumbline_requirements',
      type: 'gauge',
      help: 'Requirements of the ledger by area, level and status.',
      samples: counts,
    },
    {
      name: 'plumbline_verdict',
      type: 'stateset',
      help: 'Verdict about the server, before waivers and policy.',
      samples: verdicts.map((each) => ({
        labels: { plumbline_verdict: each },
        value: Number(each === verdict),
      })),
    },
    gauge(
      'plumbline_gate_exit_code',
      'Exit code of the gate; 0 means that a release may go on.',
      gate.exit_code,
    ),
    gauge('plumbline_run_complete', 'Whether the run ended by itself.', Number(run.complete)),
    gauge('plumbline_run_requests', 'Requests that the run sent.', run.requests),
    gauge('plumbline_run_left_behind', 'Secrets and worlds left on the target.', run.left_behind.length),
    gaugeTime('plumbline_run_duration_seconds', 'How long the run took.', run.duration_ms),
    gaugeTime('plumbline_run_start_seconds', 'Start of the run, as Unix time.', Date.parse(run.started_at)),
    {
      name: 'plumbline_build',
      type: 'info',
      help: 'Version of plumbline.',
      samples: [{ labels: { version: tool.version }, value: 1 }],
    },
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: 'gauge', help, samples: [{ value }] };
}

function gaugeTime(name: string, help: string, ms: number): Family {
  return { ...gauge(name, help, ms / 1_000), unit: 'seconds' };
}

function renderFamily({ name, type, unit, help, samples }: Family, common: Labels): readonly string[] {
  const sampleName = type === 'info' ? `${name}_info` : name;
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...samples.map(({ labels, value }) => `${sampleName}${renderLabels({ ...common, ...labels })} ${value}`),
  ];
}

function renderLabels(labels: Labels): string {
  const escapeText = (text: string) =>
    text.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return `{${pairs.join(',')}}`;
}
