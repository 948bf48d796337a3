import type { ComparedRequest, Sender } from './requests.ts';

export type Scenario = Record<'changes' | 'reads' | 'deletions', ComparedRequest[]>;

const line =
  /^((?<as>admin|person|client|frontend|nobody) )?(?<method>[A-Z]+) (?<path>\S+)( (?<body>[{["].*?))?( -> (?<save>\S+))?$/;

/** Reads scenario.txt, whose first lines describe its form. Throws for a line that has another one. */
export function readScenario(text: string): Scenario {
  const scenario: Scenario = { changes: [], reads: [], deletions: [] };
  let part: keyof Scenario = 'changes';
  for (const written of text.split('\n')) {
    if (written === '' || written.startsWith('#')) continue;
    if (written.startsWith('== ')) part = written.slice(3) as keyof Scenario;
    else scenario[part].push(readRequest(written));
  }
  return scenario;
}

function readRequest(written: string): ComparedRequest {
  const found = line.exec(written)?.groups;
  if (found === undefined) throw new Error(`scenario.txt has a line that is no request: ${written}`);
  const { as, method, path, body, save } = found;
  return {
    method: method as string,
    path: path as string,
    ...(body !== undefined && { body: JSON.parse(body) as unknown }),
    ...(as !== undefined && { as: as as Sender }),
    ...(save !== undefined && { save: Object.fromEntries([save.split('=')]) as Record<string, string> }),
  };
}
