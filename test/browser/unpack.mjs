// Unpacks the Chromium from npm to TMPDIR: a process of its own, because the package reads the environment on import.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
