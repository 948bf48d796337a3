import type { RegisteredMetric } from './registered-metrics.ts';

const code = (text: string) => `\`${text}\``;

/** Whose processes have the metrics. */
function title(services: readonly string[], all: readonly string[]): string {
  const others = all.filter((service) => !services.includes(service));
  if (others.length === 0) return 'Every service';
  return others.length === 1 ? `Every service but ${others[0]}` : services.join(', ');
}

function table(metrics: readonly RegisteredMetric[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help.replaceAll('|', '\\|'),
  ]);
  const lines = [['Name', 'Type', 'Labels', 'Meaning'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/**
 * The text of docs/metrics.md: each metric once, under the services whose processes have it. Those that more services
 * have come first.
 */
export function metricsPage(registered: Readonly<Record<string, readonly RegisteredMetric[]>>): string {
  const all = Object.keys(registered);
  const metrics = new Map(Object.values(registered).flatMap((each) => each.map((metric) => [metric.name, metric])));
  const servicesOf = (name: string) => all.filter((service) => registered[service]!.some((each) => each.name === name));
  const groups = Map.groupBy(
    [...metrics.keys()].sort().map((name) => ({ name, services: servicesOf(name) })),
    ({ services }) => services.join(),
  );
  const sections = [...groups.values()]
    .sort(([one], [other]) => other!.services.length - one!.services.length)
    .map((group) => {
      const heading = title(group[0]!.services, all);
      return `## ${heading}\n\n${table(group.map(({ name }) => metrics.get(name)!))}\n`;
    });
  return `# Metrics

Generated from the registries of the services by \`npm run contracts\`; \`npm run check\` fails when it is stale. The README of each service
says under "Metrics" what the values of the labels mean, and under "Runbook" what to do. [observability.md](observability.md) says how
Prometheus reads them, and which alerts they cause.

Each process also has \`yardarm_build_info\` (labels \`version\` and \`node\`) and the \`process_*\` and \`nodejs_*\` metrics of Node. A gauge that is
read from Postgres or NATS is absent from a scrape while it cannot be read; \`yardarm_scrape_age_seconds\` says for how long. A gauge with "over all
replicas" in its meaning has the same value in each replica: take the maximum, not the sum.

${sections.join('\n')}`;
}
