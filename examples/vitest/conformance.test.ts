import { conformance } from 'plumbline-conformance';
import { test } from 'vitest';
import { app } from './app.js';

// The app has the control protocol at /control. If yours has it at another path, pass { app, control: '/…' }.
conformance(test, app);
