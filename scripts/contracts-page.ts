// Writes docs/contracts.md from the contracts. With --check it only reports whether the page is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  errorCodes,
  type HintContract,
  permissions,
  type RequestContract,
  serviceNames,
  streams,
} from '@yardarm/shared/contracts';
import * as accounts from '@yardarm/shared/contracts/accounts';
import * as events from '@yardarm/shared/contracts/events';
import * as flags from '@yardarm/shared/contracts/flags';
import * as gateway from '@yardarm/shared/contracts/gateway';
import * as integrations from '@yardarm/shared/contracts/integrations';
import * as signals from '@yardarm/shared/contracts/signals';

const pagePath = fileURLToPath(new URL('../docs/contracts.md', import.meta.url));

type Contract = RequestContract | HintContract;
const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'request' || value.kind === 'hint');

const all = [accounts, events, flags, gateway, integrations, signals]
  .flatMap((exported) => Object.values(exported) as unknown[])
  .filter(isContract)
  .sort((a, b) => a.name.localeCompare(b.name));

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

function permissionCell({ permission, anywhere }: RequestContract): string {
  if (permission === 'authenticated' || permission === 'internal' || permission === 'public') return permission;
  return [permission].flat().map(code).join(' or ') + (anywhere ? ', anywhere' : '');
}

function requestsOf(service: string): string {
  const rows = all
    .filter((contract) => contract.kind === 'request')
    .filter((contract) => contract.service === service)
    .map((contract) => [
      code(`rpc.${contract.name}`),
      contract.summary + (contract.replies === 'many' ? ' (in pieces)' : ''),
      permissionCell(contract),
      contract.errors.map(code).join(' ') || '-',
    ]);
  return rows.length === 0
    ? ''
    : `### ${service}\n\n${table(['Subject', 'What it does', 'Permission', 'Its own errors'], rows)}\n`;
}

function page(): string {
  const hints = all
    .filter((contract) => contract.kind === 'hint')
    .map((contract) => [code(`hint.${contract.name}`), contract.service, contract.summary]);
  const streamRows = Object.values(streams).map((stream) => [
    code(stream.name),
    stream.subjects.map(code).join(' '),
    stream.publisher,
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
\`unavailable\` (nobody serves it) or \`timeout\` (outcome unknown). \`internal\` as a permission: services ask it of each other.

${serviceNames.map(requestsOf).filter(Boolean).join('\n')}
## Hints

Core NATS, may be lost; each has a slower truth behind it.

${table(['Subject', 'Sender', 'What it says'], hints)}

## Streams

${table(['Stream', 'Subjects', 'Publisher', 'Readers', 'Kept', 'What it holds'], streamRows)}

## Error codes

${table(['Code', 'HTTP status', 'Name in the error body'], errorRows)}

## Permissions

${table(['Permission', 'Scope', 'Meaning'], permissionRows)}

## Event types

${table(['Type', 'Emitted by', 'data', 'preData'], eventRows)}
`;
}

if (process.argv.includes('--check')) {
  let present = '';
  try {
    present = readFileSync(pagePath, 'utf8');
  } catch {
    // An absent page is stale.
  }
  if (present !== page()) {
    process.stderr.write('docs/contracts.md is stale; run npm run contracts\n');
    process.exit(1);
  }
} else {
  writeFileSync(pagePath, page());
}
