// Asks Prometheus' own tool: the configuration and the rules are well-formed, and each alert fires when it should.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runPromtool } from './promtool.ts';
import { ruleGroups } from './rules.ts';
import { promtoolParts } from './testing/promtool-tests.ts';

const folder = path.resolve(import.meta.dirname, '../../deploy/observability');
const scratch = mkdtempSync(path.join(tmpdir(), 'yardarm-alerts-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('every alert has a case', () => {
  const alerts = ruleGroups().flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  expect(
    promtoolParts()
      .flatMap((part) => part.alerts)
      .sort(),
  ).toEqual(alerts.sort());
});

test('the configuration of Prometheus and the rules are well-formed', async () => {
  const checked = await runPromtool(['check', 'config', 'prometheus.yml'], folder);
  expect(checked.output).toContain('SUCCESS');
  expect(checked.code).toBe(0);
});

test('the configuration for Kubernetes is well-formed, but for its discovery, which the promtool of Debian lacks', async () => {
  const { scrape_configs: jobs, ...rest } = parse(readFileSync(path.join(folder, 'prometheus-kubernetes.yml'), 'utf8'));
  const [{ kubernetes_sd_configs: discovery, ...job }] = jobs;
  expect(discovery).toHaveLength(1);
  const file = path.join(scratch, 'prometheus-kubernetes.yml');
  const rules = [path.join(folder, 'alerts.yaml')];
  writeFileSync(file, stringify({ ...rest, rule_files: rules, scrape_configs: [job] }));
  const checked = await runPromtool(['check', 'config', file], scratch);
  expect(checked.output).toContain('SUCCESS');
  expect(checked.code).toBe(0);
});

// A part takes 7 to 18 s of CPU time. The limit allows for a machine under load.
const limitMs = 300_000;

test.each(promtoolParts())(
  '$name: each alert fires when it should, and not otherwise',
  async ({ name, rules, tests }) => {
    const rulesFile = path.join(scratch, `${name}.rules.yaml`);
    const testsFile = path.join(scratch, `${name}.tests.yaml`);
    writeFileSync(rulesFile, stringify(rules, { lineWidth: 0 }));
    writeFileSync(testsFile, stringify(tests(rulesFile), { lineWidth: 0 }));
    const { code, output } = await runPromtool(['test', 'rules', testsFile], scratch);
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  },
  limitMs,
);

test('promtool finds a wrong rule', async () => {
  const file = path.join(scratch, 'wrong.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'wrong', rules: [{ alert: 'A', expr: 'sum(rate(a[5m])' }] }] }));
  expect((await runPromtool(['check', 'rules', file], scratch)).code).not.toBe(0);
});
