// Finds in the text of a migration what services of the release before cannot run with. It reads SQL as text, so it
// finds what is written out, and nothing that a migration computes. A changed constraint or trigger is for the
// reviewer.

/** What a statement does to services that know the schema of before, with the pattern of its text. */
const patterns: [string, RegExp][] = [
  ['drops a table, column, view, function or schema', /\bdrop (table|column|view|materialized view|function|schema)\b/],
  ['drops a column', /\balter table\b.*\bdrop (?!constraint|column|default|not null|expression|identity)/],
  ['renames something', /\brename (to|column|constraint|\w+ to)\b/],
  ['forbids null in a column that may have it', /\bset not null\b/],
  ['changes the type of a column', /\balter table\b.*\balter (column )?\w+ (set data )?type\b/],
  ['removes the default of a column', /\bdrop default\b/],
  ['takes a right away', /\brevoke\b/],
];

/** The same by Kysely's builder. */
const builderCalls =
  /\.(dropTable|dropColumn|dropView|dropSchema|renameTo|renameColumn|setNotNull|dropDefault|setDataType)\(/;

/** Sentences without a subject: what the migration does that services of the release before do not expect. */
export function breakingChanges(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = [...code.matchAll(/`([^`]*)`/g)].map(([, text]) => text!.toLowerCase().replace(/\s+/g, ' '));
  const found = statements.flatMap((statement) => [
    ...patterns.filter(([, pattern]) => pattern.test(statement)).map(([what]) => what),
    ...(addsColumnWithoutValue(statement) ? ['adds a column that needs a value and has no default'] : []),
  ]);
  const [, call] = builderCalls.exec(code) ?? [];
  return [...new Set(call === undefined ? found : [...found, `calls ${call}`])];
}

function addsColumnWithoutValue(statement: string): boolean {
  if (!/\balter table\b/.test(statement)) return false;
  return clausesOf(statement).some(
    (clause) =>
      /\badd (column )?(?!constraint|check|unique|primary|foreign)/.test(clause) &&
      /\bnot null\b/.test(clause) &&
      !/\b(default|generated)\b/.test(clause),
  );
}

/** The parts between the commas that are in no parentheses. */
function clausesOf(statement: string): string[] {
  let depth = 0;
  const clauses = [''];
  for (const character of statement) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) clauses.push('');
    else clauses[clauses.length - 1] += character;
  }
  return clauses;
}
