// `npm run costly-patterns`: lists the patterns of an environment whose programs are larger than the admin API accepts
// now. They are evaluated within the budget of a request, and can be saved again only when they are simpler.
import { parseArgs } from 'node:util';
import { compilePattern, isPattern } from '@yardarm/evaluation';

const usage = `Usage: npm run costly-patterns -- --url http://127.0.0.1:4242 --token <SDK token>
  Lists the patterns (REGEX) of the flags and segments that the token reads, which can no longer be saved as they are.
  The number is that of instructions of RE2. The exit code is 1 when there are some, and 2 for wrong arguments.`;

interface Constraint {
  operator: string;
  contextName: string;
  value?: string;
}

interface Listing {
  features: { name: string; strategies: { constraints: Constraint[] }[] }[];
  segments: { id: number; name: string; constraints: Constraint[] }[];
}

async function readListing(url: string, token: string): Promise<Listing> {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const response = await fetch(new URL('/api/client/features', url), { headers });
  if (!response.ok) throw new Error(`${url} answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Listing;
}

function* costlyPatterns({ features, segments }: Listing): Generator<{ instructions: number; place: string }> {
  const owners = [
    ...features.map(({ name, strategies }) => ({
      owner: `flag ${name}`,
      constraints: strategies.flatMap(({ constraints }) => constraints),
    })),
    ...segments.map(({ id, name, constraints }) => ({ owner: `segment ${id} (${name})`, constraints })),
  ];
  for (const { owner, constraints } of owners) {
    for (const { operator, contextName, value = '' } of constraints) {
      if (operator !== 'REGEX' || isPattern(value)) continue;
      const instructions = compilePattern(value)?.programSize() ?? 0;
      yield { instructions, place: `${owner}, ${contextName}: ${value}` };
    }
  }
}

const options = { url: { type: 'string' }, token: { type: 'string' }, help: { type: 'boolean' } } as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  if (values.url === undefined || values.token === undefined) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const found = [...costlyPatterns(await readListing(values.url, values.token))];
  for (const { instructions, place } of found.toSorted((one, other) => other.instructions - one.instructions)) {
    console.log(`${String(instructions).padStart(6)}  ${place}`);
  }
  if (found.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
