// Markup, scripts, links, templates, bidi controls and long words in every field that somebody can fill: every screen
// shows them as text, reads from left to right beside them, and scrolls no further sideways.
import { beforeAll, expect, test } from 'vitest';
import { fillHostile, flagPath, type HostileSystem } from '../testing/hostile/fill.ts';
import { lookAt } from '../testing/hostile/look.ts';
import { freeTexts, markedTexts } from '../testing/hostile/text-fields.ts';
import { fieldsIn, hostileText, textBegin } from '../testing/hostile/texts.ts';
import { screens } from '../testing/screens.ts';
import { setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let hostile: HostileSystem;
const seen = new Set<string>();

beforeAll(async () => {
  hostile = await fillHostile(tested.system);
}, 120_000);

const inAddress = encodeURIComponent(hostileText('address', 300));
const asList = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** Screens of what was made, and addresses that are hostile themselves. */
const further: [name: string, path: () => string][] = [
  ['a strategy', () => `${flagPath}/environments/development/strategies/${hostile.strategyId}`],
  ['a role', () => `/admin/roles/${hostile.roleId}`],
  ['access', () => `/admin/access?of=${hostile.admin.id}`],
  ['a context field', () => '/context-fields/hostile'],
  [
    'an evaluation',
    () =>
      `/playground?environments=${asList(['development'])}&context=${asList([['userId', hostileText('user-id', 300)]])}`,
  ],
  [
    'filters',
    () => `/features?q=${inAddress}&tag=${inAddress}&type=${inAddress}&status=${inAddress}&sortBy=${inAddress}`,
  ],
  ['no project', () => `/projects/${inAddress}`],
  ['no flag', () => `/projects/default/features/${inAddress}`],
  ['no environment', () => `${flagPath}/environments/${inAddress}/strategies/new`],
  ['no page', () => `/${inAddress}`],
  ['no context field', () => `/context-fields/${inAddress}`],
  ['no provider', () => `/integrations/new/${inAddress}`],
  ['no segment', () => `/segments/${inAddress}`],
  [
    'events',
    () => `/events?project=${inAddress}&feature=${inAddress}&type=${inAddress}&q=${inAddress}&from=${inAddress}`,
  ],
  ['signals', () => `/signals?payload=labels.x%3D${inAddress}&endpoint=${inAddress}`],
  ['welcome', () => `/welcome?project=${inAddress}&flag=${inAddress}&token=${inAddress}`],
  ['another access', () => `/admin/access?of=1&q=${inAddress}&project=${inAddress}&environment=${inAddress}`],
];

const all = [...screens.map(([name, path]) => [name, () => path] as const), ...further];

test.each(all)('%s shows texts as texts', async (name, path) => {
  // What a hostile address asks for is refused or not there.
  if (further.some(([each]) => each === name)) tested.allow(/^(400|404) GET /);
  const page = await tested.open(path(), { as: hostile.admin });
  const { faults, fields } = await lookAt(page);
  for (const field of fields) seen.add(field);
  expect([...faults]).toEqual([]);
});

/** The fields that no screen shows. */
const unseen = ['icon', 'strategy-type', 'parameter', 'parameter-description', 'link-template', 'link', 'x'];

test('every text was seen on a screen', () => {
  const filled = fieldsIn(JSON.stringify([...hostile.written.values()]));
  expect(filled.filter((field) => !seen.has(field) && !unseen.includes(field))).toEqual([]);
});

/** These fields name what is there already, or are checked. */
const references = new RegExp(
  '(strategies|strategy) name$| (.*[.])?(type|color|contextName|value|stickiness|defaultStickiness|projects?|environments?|features?|variants|parents' +
    '|defaultStrategy|provider|events|permissions|mappingsSSO|frontendApiOrigins|rootRole|password|link|url|username)\\b',
);

/** These operations only check or answer, name what is there, or write what another one of the list writes. */
const withoutTexts = new RegExp(
  '/(validate|playground|advanced|features-batch|test|search|feedback|record-ui-error|reset-password|archive|revive' +
    '|change-password|validate-password|segments/strategies|[{]projectId[}]/context|set-sort-order|changeProject|legal-values|user/tokens|applications|complete)\\b',
);

test('every field that takes any text had a hostile one', async () => {
  const { body } = await tested.system.call('GET', '/docs/openapi.json');
  const missing = freeTexts(body).flatMap(([path, fields]) => {
    const isOfPath = new RegExp(`^(POST|PUT) ${path.replaceAll(/[{]\w+[}]/g, '[^/]+')}$`);
    const written = [...hostile.written].flatMap(([operation, bodies]) => (isOfPath.test(operation) ? bodies : []));
    const filled = written.flatMap((each) => markedTexts(each, textBegin));
    return fields.filter((field) => !filled.includes(field)).map((field) => `${path} ${field}`);
  });
  expect(missing.filter((field) => !references.test(field) && !withoutTexts.test(field))).toEqual([]);
});
