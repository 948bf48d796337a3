import { type Rule, ruleGroups } from '../rules.ts';
import { type AlertCase, alertCases } from './alert-cases.ts';

const alerts = new Map(
  ruleGroups().flatMap(({ rules }) => rules.flatMap((rule) => (rule.alert === undefined ? [] : [[rule.alert, rule]]))),
);

/** What Prometheus makes of a summary. */
function rendered(text: string, labels: Record<string, string>, value: string): string {
  return text.replaceAll(/\{\{ \$(?:labels\.(\w+)|value) \}\}/g, (_match, label) => (label ? labels[label]! : value));
}

/** The tests of a case: the alert fires with one set of series, and not with the other. */
function testsOf({ alert, firing, quiet, at, interval, labels = {}, value = '' }: AlertCase, rule: Rule): object[] {
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

/**
 * What `promtool test rules` reads, for the cases of an interval. Evaluations are as far apart as samples, since a
 * case of seven hours would have 840 of them otherwise.
 */
export function promtoolTests(rulesFile: string, interval: AlertCase['interval']): object {
  const cases = alertCases.filter((each) => each.interval === interval);
  const tests = cases.flatMap((each) => testsOf(each, alerts.get(each.alert)!));
  return { rule_files: [rulesFile], evaluation_interval: interval, tests };
}
