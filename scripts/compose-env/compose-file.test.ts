// What has to hold for every container of docker-compose.yml. It reads the text: YAML anchors are written out nowhere.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(path.resolve(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
const blocks = text
  .split(/^services:\n/m)[1]!
  .split(/^volumes:\n/m)[0]!
  .split(/^ {2}(?=\w)/m)
  .slice(1);
const services = blocks.map((block) => ({ name: /^\w+/.exec(block)![0], block }));
const common = /^x-yardarm: &yardarm\n((?: {2}.*\n)+)/m.exec(text)![1]!;

test('one service builds the image of all', () => {
  expect(services.filter(({ block }) => /^ {4}build:/m.test(block)).map(({ name }) => name)).toEqual(['migrate']);
  expect(common).toMatch(/^ {2}image: yardarm\n(.*\n)* {2}pull_policy: never\n/m);
  expect(common).not.toContain('build:');
});

test('the default of UNLEASH_URL has the published ports of the gateway', () => {
  const published = /^ {4}ports: \['127\.0\.0\.1:(\S+):4242'\]$/m.exec(text)![1];
  expect(published).toContain('GATEWAY_PORTS');
  const [, port] = /^ +UNLEASH_URL: &unleash-url \$\{UNLEASH_URL:-http:\/\/localhost:(\S+)\}$/m.exec(text)!;
  expect(port).toBe(published);
});

test('every container has a limit of memory and gets no new privileges', () => {
  expect(services.map(({ name }) => name)).toEqual(expect.arrayContaining(['postgres', 'nats', 'migrate', 'gateway']));
  for (const { block } of services) {
    const lines = block.includes('<<: *yardarm\n') ? common : block;
    expect(lines).toMatch(/^ +mem_limit: \d+[mg]$/m);
    expect(lines).toMatch(/^ +security_opt: .*no-new-privileges/m);
  }
});
