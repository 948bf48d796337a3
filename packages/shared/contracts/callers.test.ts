// The permissions of NATS follow from the callers of the contracts. A missing caller is refused by NATS in the e2e
// tests. A caller that no longer sends the request would keep its permission, so it is found here: by the
// imports of its service.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as accounts from './accounts/index.ts';
import { type RequestContract, type ServiceName, serviceNames } from './contract.ts';
import * as events from './events/index.ts';
import * as flags from './flags/index.ts';
import * as integrations from './integrations/index.ts';
import * as signals from './signals/index.ts';

const root = path.resolve(import.meta.dirname, '../../../services');
const exclude = (file: string) => file.endsWith('.test.ts') || /(^|\/)(testing|node_modules)(\/|$)/.test(file);

/** The names that the code of a service imports from the contracts. */
function importedBy(service: ServiceName): Set<string> {
  const from = String.raw`from '@yardarm/shared/contracts/\w+'`;
  const names = globSync('**/*.ts', { cwd: path.join(root, service), exclude }).flatMap((file) => {
    const source = readFileSync(path.join(root, service, file), 'utf8');
    const lists = [...source.matchAll(new RegExp(`import \\{([^}]+)\\} ${from}`, 'g'))];
    const wholes = [...source.matchAll(new RegExp(`import \\* as (\\w+) ${from}`, 'g'))];
    const members = wholes.flatMap(([, whole]) => [...source.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, 'g'))]);
    return [...lists.flatMap(([, list]) => list!.match(/\w+/g) ?? []), ...members.map(([, name]) => name!)];
  });
  return new Set(names);
}

const imported = Object.fromEntries(serviceNames.map((service) => [service, importedBy(service)])) as Record<
  ServiceName,
  Set<string>
>;

const exported = [accounts, events, flags, integrations, signals].flatMap(
  (contracts) => Object.entries(contracts) as [string, unknown][],
);
const contracts = exported.filter(
  (entry): entry is [string, RequestContract] =>
    typeof entry[1] === 'object' && entry[1] !== null && 'kind' in entry[1] && entry[1].kind === 'request',
);

/** FOR ONE RELEASE: gateways of the release before send them. */
const sentByEarlierGateways = ['getApplication'];

test('the services that import a contract of another one are its callers', () => {
  for (const name of sentByEarlierGateways) imported.gateway.add(name);
  const callers = contracts.map(([exportName, { service }]) => {
    // The requests of the outboxes are imported together.
    const name = exportName.replace(/^publishPendingOf.+/, 'publishPending');
    return [exportName, serviceNames.filter((caller) => caller !== service && imported[caller].has(name))];
  });
  const declared = contracts.map(([name, { callers }]) => [
    name,
    serviceNames.filter((caller) => callers.includes(caller)),
  ]);
  expect(Object.fromEntries(callers)).toEqual(Object.fromEntries(declared));
});
