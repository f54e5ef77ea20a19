// dependency-cruiser, failing also when it cruised nothing: with a TypeScript that it does not know it reports no
// violation in no module, and calls that success.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const { forbidden, options } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'));
const tsConfig = extractTSConfig(options.tsConfig.fileName);
const { output } = await cruise(['src'], { ...options, ruleSet: { forbidden }, validate: true }, undefined, {
  tsConfig,
});

const { violations, totalCruised, totalDependenciesCruised } = output.summary;
for (const { rule, from, to } of violations) console.error(`${rule.severity} ${rule.name}: ${from} → ${to}`);
const ours = output.modules.filter(({ source }) => source.startsWith('src/')).length;
console.log(
  `${ours} modules of ours, ${totalCruised} in all, ${totalDependenciesCruised} imports, ${violations.length} violations`,
);
if (ours === 0) console.error('nothing was cruised: is the TypeScript one that dependency-cruiser knows?');
process.exitCode = ours === 0 || violations.length > 0 ? 1 : 0;
