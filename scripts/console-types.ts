// Writes packages/console/src/api/schema.d.ts, the types of the API as the console calls it, from the OpenAPI document.
// With --check it only reports whether the file is current.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentWithoutServers } from '@yardarm/gateway/document';

interface Operation {
  description?: string;
  summary?: string;
  responses: Record<string, { headers?: object }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
}

/** The API of SDKs has clients of its own. */
const ofSdks = /^\/(api\/(client|frontend|proxy)|ofrep|edge)\b/;

/** Without texts, examples and errors, which have one shape. The file is a quarter as long then. */
function shortened(document: Document): Document {
  for (const [url, operations] of Object.entries(document.paths)) {
    if (ofSdks.test(url)) delete document.paths[url];
    for (const operation of Object.values(operations)) {
      delete operation.description;
      delete operation.summary;
      for (const status of Object.keys(operation.responses)) {
        if (status.startsWith('2')) delete operation.responses[status]?.headers;
        else delete operation.responses[status];
      }
    }
  }
  dropTexts(document.paths);
  dropTexts(document.components.schemas);
  return document;
}

/** Properties may have the names `example` and `description`. */
function dropTexts(value: unknown, areProperties = false): void {
  if (typeof value !== 'object' || value === null) return;
  const node = value as Record<string, unknown>;
  if (!areProperties) {
    delete node.example;
    delete node.examples;
    delete node.description;
  }
  for (const [name, child] of Object.entries(node)) dropTexts(child, !areProperties && name === 'properties');
}

const root = fileURLToPath(new URL('..', import.meta.url));
const file = path.join(root, 'packages/console/src/api/schema.d.ts');
// It needs TypeScript 5, which is installed for this workspace alone.
const generator = path.join(root, 'packages/console/node_modules/.bin/openapi-typescript');

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-types-'));
const input = path.join(folder, 'openapi.json');
const output = path.join(folder, 'schema.d.ts');
try {
  writeFileSync(input, JSON.stringify(shortened((await documentWithoutServers()) as Document)));
  execFileSync(generator, [input, '--default-non-nullable=false', '-o', output], { stdio: 'pipe' });
  const text = readFileSync(output, 'utf8');
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path.relative(root, file)} is stale; run npm run console-types\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
