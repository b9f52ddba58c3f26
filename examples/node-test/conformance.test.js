import { test } from 'node:test';
import { conformance } from 'plumbline-conformance';
import { app } from './app.js';

// The app speaks the control protocol at /control; where yours has it elsewhere, say { app, control: '/…' }.
conformance(test, app);
