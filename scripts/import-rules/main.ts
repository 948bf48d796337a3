import { readTree } from './imports.ts';
import { findViolations } from './rules.ts';

// Prints each broken rule once, with its reason and every place.
const tree = readTree(process.argv[2] ?? process.cwd());
const found = findViolations(tree);
const byRule = Map.groupBy(found, ({ rule }) => rule);

for (const [rule, broken] of byRule) {
  console.log(`${rule}: ${broken[0]!.reason}`);
  for (const { where, what } of broken) console.log(`  ${where} ${what}`);
  console.log();
}
console.log(`${tree.files.length} files, ${tree.imports.length} imports, ${found.length} violations`);
if (found.length > 0) process.exitCode = 1;
