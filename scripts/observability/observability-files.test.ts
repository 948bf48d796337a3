// The committed alerts and dashboards: they are what the code makes, query metrics that exist, and lead to runbooks.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { collectRuntimeMetrics, metrics } from '@yardarm/shared/telemetry';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../yardarm/commands.ts';
import { dashboards } from './dashboards/index.ts';
import { alertsFile, observabilityFiles } from './generated-files.ts';
import { type QueriedMetric, queriedMetrics } from './queried-metrics.ts';
import { registeredMetrics } from './registered-metrics.ts';
import type { Rule, RuleGroup } from './rules.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const rules = (parse(read(alertsFile)) as { groups: RuleGroup[] }).groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);

interface Shown {
  panels?: Shown[];
  targets?: { expr: string }[];
}

const expressionsOf = ({ panels = [], targets = [] }: Shown): string[] => [
  ...targets.map(({ expr }) => expr),
  ...panels.flatMap(expressionsOf),
];
const shown = Object.keys(dashboards).flatMap((name) =>
  expressionsOf(JSON.parse(read(`deploy/observability/dashboards/${name}.json`))),
);

/** What Prometheus adds to each sample (docs/observability.md). */
const targetLabels = ['job', 'instance', 'service'];

/** The labels of each metric, by the names that its samples have. */
const known = new Map<string, string[]>([['up', []]]);
const ownNames = new Set<string>();

beforeAll(async () => {
  for (const { name, type, labels } of Object.values(await registeredMetrics()).flat()) {
    ownNames.add(name);
    if (type === 'histogram') {
      known.set(`${name}_bucket`, [...labels, 'le']);
      for (const suffix of ['count', 'sum']) known.set(`${name}_${suffix}`, [...labels]);
    } else known.set(name, [...labels]);
  }
  collectRuntimeMetrics();
  for (const { name, labelNames } of metrics.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[])
    if (!known.has(name)) known.set(name, labelNames);
  for (const { record } of rules) if (record !== undefined) known.set(record, []);
});

/** What is wrong with the metrics of an expression. */
function problemsOf(expression: string): string[] {
  const queried: QueriedMetric[] = queriedMetrics(expression);
  return queried.flatMap(({ name, labels }) => {
    const ofMetric = known.get(name);
    if (!ofMetric) return [`${name} does not exist: ${expression}`];
    const others = labels.filter((label) => !ofMetric.includes(label) && !targetLabels.includes(label));
    return others.map((label) => `${name} has no label ${label}: ${expression}`);
  });
}

test.each(Object.entries(observabilityFiles()))('%s is what `npm run contracts` writes', (file, text) => {
  expect(read(file)).toBe(text);
});

test('every query of a dashboard reads metrics and labels that exist', () => {
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.flatMap(problemsOf)).toEqual([]);
});

test('every rule reads metrics and labels that exist', () => {
  expect(rules.length).toBeGreaterThan(50);
  expect(rules.flatMap(({ expr }) => problemsOf(expr))).toEqual([]);
});

test('a query of a metric or label that does not exist is found', () => {
  expect(problemsOf('sum by (service) (rate(yardarm_nothing_total[5m]))')).toHaveLength(1);
  expect(problemsOf('max by (color) (yardarm_outbox_rows{shape="round"})')).toHaveLength(2);
  expect(() => problemsOf('sum by (')).toThrow('not PromQL');
});

test('every metric of a service is on a dashboard', () => {
  const queried = new Set(shown.flatMap(queriedMetrics).map(({ name }) => name.replace(/_(bucket|count|sum)$/, '')));
  expect([...ownNames].filter((name) => !queried.has(name))).toEqual([]);
});

test.each(Object.entries(dashboards))('every panel of %s has a title, a description and a query', (_name, { rows }) => {
  for (const { title, panels } of rows) {
    expect(panels.map((panel) => panel.title)).toEqual([...new Set(panels.map((panel) => panel.title))]);
    for (const panel of panels) {
      expect(panel, title).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
      });
      expect(panel.queries.length, panel.title).toBeGreaterThan(0);
    }
  }
});

/** The text below the heading with this anchor, up to the next heading of its level. */
function sectionOf(link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const sections = read(file).split(/^## /m).slice(1);
  const slugOf = (section: string) =>
    section
      .split('\n')[0]!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  return sections.find((section) => slugOf(section) === anchor);
}

test.each(alerts)('$alert has a severity, a summary, and a runbook that names it', ({ alert, labels, annotations }) => {
  expect(labels?.severity).toMatch(/^(page|ticket)$/);
  expect(annotations?.summary).toMatch(/^\S.{10,}/);
  expect(sectionOf(annotations!.runbook!)).toContain(`\`${alert}\``);
});

const runbooks = [
  ...new Set(alerts.map(({ annotations }) => annotations!.runbook!)),
  'services/flags/README.md#runbook',
];

test.each(runbooks)('%s names metrics and commands that exist', (link) => {
  const runbook = sectionOf(link)!;
  const metricsOf = [...runbook.matchAll(/\byardarm_[a-z_*]+/g)].map(([name]) => name.replaceAll('*', '.*'));
  const all = [...ownNames];
  expect(metricsOf.filter((name) => !all.some((own) => new RegExp(`^${name}$`).test(own)))).toEqual([]);
  const programs = [...runbook.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!);
  expect(Object.keys(JSON.parse(read('package.json')).scripts)).toEqual(expect.arrayContaining(programs));
  const words = [...runbook.matchAll(/`(?:npm run yardarm --\s|yardarm )([a-z-]+)/g)].map(([, name]) => name!);
  expect(Object.keys(commands)).toEqual(expect.arrayContaining(words));
});

test('docs/observability.md lists every alert, and no other', () => {
  const listed = [...read('docs/observability.md').matchAll(/^\| `(Yardarm\w+)`(?:, `(Yardarm\w+)`)? \|/gm)];
  expect(listed.flatMap(([, ...names]) => names.filter(Boolean)).sort()).toEqual(
    alerts.map(({ alert }) => alert).sort(),
  );
});
