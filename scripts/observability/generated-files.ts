import { stringify } from 'yaml';
import { dashboardJson } from './dashboards/dashboard.ts';
import { dashboards } from './dashboards/index.ts';
import { ruleGroups } from './rules.ts';

export const alertsFile = 'deploy/observability/alerts.yaml';

/** The rules in the form that Prometheus reads. */
function alertsText(): string {
  const head = `# Rules of Prometheus: the promises and their burn rates, and causes. docs/observability.md explains them.
# Generated from scripts/observability by \`npm run contracts\`; \`npm run check\` fails when it is stale.
`;
  return head + stringify({ groups: ruleGroups() }, { lineWidth: 0 });
}

/** The texts of the alerts and dashboards, by path. */
export function observabilityFiles(): Record<string, string> {
  const jsons = Object.entries(dashboards).map(([name, dashboard]) => [
    `deploy/observability/dashboards/${name}.json`,
    dashboardJson(dashboard),
  ]);
  return { [alertsFile]: alertsText(), ...Object.fromEntries(jsons) };
}
