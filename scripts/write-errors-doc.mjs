// Writes docs/errors.md from the catalogue; test/tidy.test.ts holds the two together. Run it after a build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCatalogue } from '../dist/src/domain/errors.js';
import { describeErrors } from './describe-errors.mjs';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), describeErrors(errorCatalogue));
