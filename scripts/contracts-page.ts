// Writes docs/contracts.md from the contracts and the providers of integrations, deploy/nats-users.conf from the
// contracts, the settings in docker-compose.yml from the config.ts of the services, docs/metrics.md from their
// registries, deploy/observability from scripts/observability, the line numbers in docs/tour.md, and a copy of NATS's
// configuration for Kustomize, which reads no file outside of its folder. With --check it only reports whether they
// are current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as eventsSettings } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { createProviders } from '@yardarm/integrations/providers';
import { errorCodes, permissions, type RequestContract, serviceNames, streams } from '@yardarm/shared/contracts';
import { allHints, allRequests } from '@yardarm/shared/contracts/all';
import * as events from '@yardarm/shared/contracts/events';
import { createGuardedClient } from '@yardarm/shared/http';
import { createLogger } from '@yardarm/shared/log';
import { settings as signals } from '@yardarm/signals/config';
import { withSettings } from './compose-env/compose-settings.ts';
import { observabilityFiles } from './observability/generated-files.ts';
import { metricsPage } from './observability/metrics-page.ts';
import { registeredMetrics } from './observability/registered-metrics.ts';
import { natsUsersFile } from './servers/nats-users.ts';
import { correctCodeLinks } from './texts/code-links.ts';

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

function permissionCell({ permission, anywhere }: RequestContract): string {
  if (permission === 'authenticated' || permission === 'internal' || permission === 'public') return permission;
  return [permission].flat().map(code).join(' or ') + (anywhere ? ', anywhere' : '');
}

/** The services that send the request; empty when only the gateway does. */
function callersOf({ callers }: RequestContract): string {
  return callers.join() === 'gateway' ? '' : `, from ${callers.join(' and ')}`;
}

function requestsOf(service: string): string {
  const rows = allRequests
    .filter((contract) => contract.service === service)
    .map((contract) => [
      code(`rpc.${contract.name}`),
      contract.summary,
      permissionCell(contract) + callersOf(contract),
      contract.errors.map(code).join(' ') || '-',
    ]);
  return rows.length === 0
    ? ''
    : `### ${service}\n\n${table(['Subject', 'What it does', 'Permission', 'Its own errors'], rows)}\n`;
}

/** The providers of integrations, none of which is called. */
function providerRows(): string[][] {
  const client = createGuardedClient({
    allowedPrivate: [],
    log: createLogger({ service: 'contracts', level: 'silent' }),
  });
  const providers = createProviders(client, { baseUrl: null, slackApiUrl: '', datadogUrl: '' });
  return [...providers.values()].map(({ definition: { name, description, deprecated, parameters } }) => [
    code(name),
    [description, deprecated].filter(Boolean).join(' '),
    parameters.map((parameter) => code(parameter.name) + (parameter.sensitive ? ' (secret)' : '')).join(', '),
  ]);
}

function page(): string {
  const hints = allHints.map((contract) => [
    code(`hint.${contract.name}`),
    contract.service,
    contract.listeners.join(', '),
    contract.summary,
  ]);
  const streamRows = Object.values(streams).map((stream) => [
    code(stream.name),
    stream.subjects.map(code).join(' '),
    stream.publishers.join(', '),
    stream.readers.join(', '),
    `${stream.maxAgeDays} days`,
    stream.summary,
  ]);
  const errorRows = Object.entries(errorCodes).map(([name, { status, name: publicName }]) => [
    code(name),
    String(status),
    code(publicName),
  ]);
  const permissionRows = Object.entries(permissions).map(([name, { scope, displayName }]) => [
    code(name),
    scope,
    displayName,
  ]);
  const eventRows = events.eventTypes.map((type) => {
    const { emittedBy, unusedBecause, data, preData } = events.eventCatalogue[type];
    return [code(type), emittedBy ?? (unusedBecause ? `none: ${unusedBecause}` : 'no operation yet'), data, preData];
  });
  return `# Contracts

Generated from \`packages/shared/contracts\` by \`npm run contracts\`; \`npm run check\` fails when it is stale.
Every subject, queue group, stream and durable takes the configured prefix (\`YARDARM_PREFIX\`).

## Requests

A request's queue group is its service's name. Any request may also be refused with \`validation\`, \`no-access\`, \`internal\`,
\`unavailable\` (no service serves it) or \`timeout\` (outcome unknown). \`internal\` as a permission requires no actor. Only the
gateway sends a request, unless \`from\` names its callers: the permissions of NATS (\`npm run nats-config\`) refuse it from all others.

${serviceNames.map(requestsOf).filter(Boolean).join('\n')}
## Hints

Core NATS messages. They may be lost; a poll finds the same later.

${table(['Subject', 'Sender', 'Listeners', 'What it says'], hints)}

## Streams

${table(['Stream', 'Subjects', 'Publishers', 'Readers', 'Kept', 'What it holds'], streamRows)}

## Error codes

${table(['Code', 'HTTP status', 'Name in the error body'], errorRows)}

## Permissions

${table(['Permission', 'Scope', 'Meaning'], permissionRows)}

## Providers of integrations

${table(['Provider', 'What it does', 'Parameters'], providerRows())}

## Event types

${table(['Type', 'Emitted by', 'data', 'preData'], eventRows)}
`;
}

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const composeFile = 'docker-compose.yml';
const settings = { flags, events: eventsSettings, integrations, signals, accounts, gateway };
const readText = (file: string) => (existsSync(pathOf(file)) ? readFileSync(pathOf(file), 'utf8') : null);
const tour = correctCodeLinks('docs/tour.md', readText('docs/tour.md') ?? '', readText);
for (const problem of tour.problems) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
const written = {
  'docs/contracts.md': page(),
  'deploy/nats-users.conf': natsUsersFile(''),
  // With two users for each service, so that a password changes by a reload of the servers.
  'deploy/kubernetes/base/nats/nats-users.conf': natsUsersFile('', {
    hasSecondUsers: true,
    passwordsFile: '../nats-users/passwords.conf',
  }),
  'deploy/kubernetes/base/nats/nats.conf': readFileSync(pathOf('deploy/nats.conf'), 'utf8'),
  'deploy/kubernetes/overlays/production/nats/nats-cluster.conf': readFileSync(
    pathOf('deploy/nats-cluster.conf'),
    'utf8',
  ),
  'docs/metrics.md': metricsPage(await registeredMetrics()),
  'docs/tour.md': tour.text,
  ...observabilityFiles(),
  [composeFile]: withSettings(readFileSync(pathOf(composeFile), 'utf8'), settings),
};
for (const [file, text] of Object.entries(written)) {
  const path = pathOf(file);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is stale; run npm run contracts\n`);
    process.exitCode = 1;
  }
}
