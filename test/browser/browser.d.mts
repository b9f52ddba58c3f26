import type { Browser } from 'playwright-core';

/** Why the tests that need a browser are skipped. Undefined where there is one, or where there has to be one. */
export declare const skipReason: string | undefined;

/**
 * Starts the browser that PLUMBLINE_CHROMIUM names; else, on Linux x64, the one from npm; else an installed one.
 * Throws where there is none, and says what to do.
 */
export declare function startBrowser(): Promise<Browser>;
