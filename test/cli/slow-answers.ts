import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';

/** A behaviour that takes its time, and tells how many answers it has begun. */
export interface Slow {
  readonly behaviour: Behaviour;
  /** Resolves once this many requests of the document's operations have come. */
  reached(requests: number): Promise<void>;
  /** Resolves once every answer that was begun has ended. */
  ended(): Promise<void>;
}

/** @param ms milliseconds that each answer takes */
export function slowDown(ms: number): Slow {
  let come = 0;
  let done = 0;
  const waiting: { readonly requests: number; readonly go: () => void }[] = [];
  const behaviour: Behaviour = {
    ...conforming,
    transmit: async (response, answer, call) => {
      come += 1;
      for (const { requests, go } of waiting) if (come >= requests) go();
      await sleep(ms);
      await conforming.transmit(response, answer, call);
      done += 1;
    },
  };
  const reached = (requests: number): Promise<void> =>
    new Promise((go) => {
      if (come >= requests) go();
      else waiting.push({ requests, go });
    });
  const ended = async (): Promise<void> => {
    while (done < come) await sleep(5);
  };
  return { behaviour, reached, ended };
}
