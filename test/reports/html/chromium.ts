import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Starts the browser that is installed. Throws where there is none, and says what to install. */
export function startChromium(): Promise<Browser> {
  const named = process.env.PLUMBLINE_CHROMIUM;
  const executablePath = (named === undefined ? usualPlaces : [named]).find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error(
      `No Chromium at ${named ?? usualPlaces.join(', ')}: install it (apt-get install chromium), or name it in PLUMBLINE_CHROMIUM.`,
    );
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
