import type { ReportedExchange } from './report.js';

/** An exchange of a run that was kept, and what it was sent for. */
export interface KeptExchange extends ReportedExchange {
  /** The check that sent it; null for what arranges worlds and for positive controls. */
  readonly check: string | null;
  /** What the request is, without random parts: `DELETE own/stored as member`. */
  readonly label: string;
}

/** What a run sent and got back, as much of it as was kept. */
export interface Traffic {
  /** In the order in which they were sent. */
  readonly exchanges: readonly KeptExchange[];
  /** How many requests were sent in all. */
  readonly sent: number;
}
