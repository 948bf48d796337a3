// What has to hold for every container of docker-compose.yml. It reads the text: YAML anchors are written out nowhere.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface ComposeService {
  image?: string;
  profiles?: string[];
  depends_on?: Record<string, unknown> | string[];
  volumes?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  entrypoint?: string[];
}

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

const observing = ['prometheus', 'grafana', 'collector'];

test('Grafana has no default password, and does not start without one', () => {
  const { services: parsed } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const { environment, entrypoint } = parsed.grafana!;
  expect(environment!.GF_SECURITY_ADMIN_PASSWORD).toBe(`\${GRAFANA_ADMIN_PASSWORD:-}`);
  // Compose writes a dollar as two. The test has no /run.sh.
  const script = entrypoint![2]!.replaceAll('$$', '$').replace('/run.sh', 'true');
  const start = (password: string) =>
    spawnSync('sh', ['-c', script], { env: { GF_SECURITY_ADMIN_PASSWORD: password }, encoding: 'utf8' });
  expect(start('')).toMatchObject({ status: 2, stderr: expect.stringContaining('GRAFANA_ADMIN_PASSWORD is missing') });
  expect(start('given')).toMatchObject({ status: 0, stderr: '' });
});

test('without the profile `observability` compose starts what it needs for flags and nothing else', () => {
  const { services: parsed } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const inProfile = Object.keys(parsed).filter((name) => parsed[name]!.profiles !== undefined);
  expect(inProfile).toEqual(observing);
  for (const name of observing) expect(parsed[name]!.profiles).toEqual(['observability']);
  const others = Object.keys(parsed).filter((name) => !observing.includes(name));
  expect(others).toEqual([
    ...['postgres', 'nats', 'migrate', 'flags', 'events', 'integrations', 'signals', 'accounts', 'gateway'],
  ]);
  for (const name of others)
    expect(Object.keys(parsed[name]!.depends_on ?? {}).filter((needed) => observing.includes(needed))).toEqual([]);
});

test('the profile has images of one version, files that exist, and ports of this machine alone', () => {
  const { services: parsed } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  for (const name of observing) {
    const { image, volumes, ports = [] } = parsed[name]!;
    expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+\.\d+$/);
    const files = volumes!.map((volume) => volume.split(':')[0]!).filter((source) => source.startsWith('./'));
    for (const file of files) expect(existsSync(path.resolve(import.meta.dirname, '../..', file)), file).toBe(true);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  }
});
