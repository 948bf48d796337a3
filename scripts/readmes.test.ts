// Lists in documents are held to what they list: every setting of a process stands in its README, and nothing else does.
import { readFileSync } from 'node:fs';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as events } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { settings as signals } from '@yardarm/signals/config';
import { expect, test } from 'vitest';
import { settings as start } from './start/options.ts';

test.each([
  ['services/gateway/README.md', '## Configuration', gateway],
  ['services/flags/README.md', '## Configuration', flags],
  ['services/events/README.md', '## Configuration', events],
  ['services/integrations/README.md', '## Configuration', integrations],
  ['services/signals/README.md', '## Configuration', signals],
  ['services/accounts/README.md', '## Configuration', accounts],
  ['README.md', '## Settings of `npm start`', start],
])('%s lists every setting under "%s", and no other', (file, heading, settings) => {
  const readme = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const [, section = ''] = readme.split(`${heading}\n`);
  const table = section.split('\n## ')[0] ?? '';
  const named = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => [
    ...(cell as string).matchAll(/`(\w+)`/g),
  ]);
  expect(named.map(([, name]) => name).sort()).toEqual(Object.keys(settings).sort());
});
