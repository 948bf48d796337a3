import { type Rule, ruleGroups } from '../rules.ts';
import { type AlertCase, alertCases } from './alert-cases.ts';

const promises = ['yardarm-promises', 'yardarm-burn-rates'];

/**
 * Promtool evaluates all rules of its files for each case, so each part has the groups that its cases need. Evaluations
 * are as far apart as samples, since a case of seven hours would have 840 of them otherwise.
 */
const parts = [
  { name: 'causes', groupNames: ['yardarm-causes'], interval: '30s' },
  { name: 'burn rates over hours', groupNames: promises, interval: '30s' },
  { name: 'burn rates over days', groupNames: promises, interval: '5m' },
] as const;

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

export interface PromtoolPart {
  name: string;
  /** A file of rules. */
  rules: object;
  /** What `promtool test rules` reads, beside that file. */
  tests: (rulesFile: string) => object;
  alerts: string[];
}

/** The cases of all alerts, in parts. */
export function promtoolParts(): PromtoolPart[] {
  return parts.map(({ name, groupNames, interval }) => {
    const groups = ruleGroups().filter((group) => groupNames.some((each) => each === group.name));
    const rules = groups.flatMap((group) => group.rules);
    const cases = alertCases.flatMap((each) => {
      const rule = each.interval === interval && rules.find(({ alert }) => alert === each.alert);
      return rule ? [{ each, rule }] : [];
    });
    return {
      name,
      rules: { groups },
      tests: (rulesFile) => ({
        rule_files: [rulesFile],
        evaluation_interval: interval,
        tests: cases.flatMap(({ each, rule }) => testsOf(each, rule)),
      }),
      alerts: cases.map(({ each }) => each.alert),
    };
  });
}
