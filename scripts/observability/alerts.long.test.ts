// Asks Prometheus' own tool: the configuration and the rules are well-formed, and each alert fires when it should.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runPromtool } from './promtool.ts';
import { type Rule, ruleGroups } from './rules.ts';
import { type AlertCase, alertCases } from './testing/alert-cases.ts';

const folder = path.resolve(import.meta.dirname, '../../deploy/observability');
const scratch = mkdtempSync(path.join(tmpdir(), 'yardarm-alerts-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const alerts = ruleGroups().flatMap(({ rules }) => rules.filter((rule) => rule.alert !== undefined));

/** What Prometheus makes of a summary. */
function rendered(text: string, labels: Record<string, string>, value: string): string {
  return text.replaceAll(/\{\{ \$(?:labels\.(\w+)|value) \}\}/g, (_match, label) => (label ? labels[label]! : value));
}

/** The tests of promtool for a case: the alert fires with one set of series, and not with the other. */
function promtoolTests(
  { alert, firing, quiet, at, interval, labels = {}, value = '' }: AlertCase,
  rule: Rule,
): object[] {
  const all = { ...labels, ...rule.labels };
  const annotations = Object.entries(rule.annotations!).map(([key, text]) => [key, rendered(text, all, value)]);
  const expected = { exp_labels: all, exp_annotations: Object.fromEntries(annotations) };
  const testOf = (name: string, series: Record<string, string>, exp_alerts: object[]) => ({
    name: `${alert}: ${name}`,
    interval,
    input_series: Object.entries(series).map(([text, values]) => ({ series: text, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts }],
  });
  return [testOf('fires', firing, [expected]), testOf('is quiet', quiet, [])];
}

test('every alert has a case', () => {
  expect(alertCases.map(({ alert }) => alert).sort()).toEqual(alerts.map(({ alert }) => alert!).sort());
});

test('the configuration of Prometheus and the rules are well-formed', async () => {
  const checked = await runPromtool(['check', 'config', 'prometheus.yml'], folder);
  expect(checked.output).toContain('SUCCESS');
  expect(checked.code).toBe(0);
});

// The evaluations are as far apart as the samples, since a case of seven hours would have 840 of them.
test.each(['30s', '5m'])(
  'each alert with samples every %s fires when it should, and not otherwise',
  async (interval) => {
    const cases = alertCases.filter((each) => each.interval === interval);
    const tests = cases.flatMap((each) => promtoolTests(each, alerts.find(({ alert }) => alert === each.alert)!));
    const file = path.join(scratch, `tests-${interval}.yaml`);
    const document = { rule_files: [path.join(folder, 'alerts.yaml')], evaluation_interval: interval, tests };
    writeFileSync(file, stringify(document, { lineWidth: 0 }));
    const { code, output } = await runPromtool(['test', 'rules', file], scratch);
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  },
  300_000,
);

test('promtool finds a wrong rule', async () => {
  const file = path.join(scratch, 'wrong.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'wrong', rules: [{ alert: 'A', expr: 'sum(rate(a[5m])' }] }] }));
  expect((await runPromtool(['check', 'rules', file], scratch)).code).not.toBe(0);
});
