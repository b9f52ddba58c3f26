import { test } from 'node:test';
import { conformance } from 'plumbline-conformance';
import { app } from './app.js';

// The app has the control protocol at /control. If yours has it at another path, pass { app, control: '/…' }.
conformance(test, app);
