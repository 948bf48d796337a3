import { causes } from './causes.ts';
import { objective, type ServiceLevel, serviceLevels } from './promises.ts';

/** The keys of a rule in a file of Prometheus. */
export interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface RuleGroup {
  name: string;
  interval?: string;
  rules: Rule[];
}

/**
 * The burn rates of "Alerting on SLOs" (Site Reliability Workbook, chapter 5, table 5-8): the part of the budget of 30
 * days that is used up, over a long window. The short one, a twelfth of it, ends the alert soon after the cause ends.
 *
 *   14.4   2 % of the budget in an hour
 *   6      5 % in six hours
 *   1      10 % in three days
 */
const burnRates = [
  {
    alert: 'Fast',
    severity: 'page',
    pairs: [
      { rate: 14.4, long: '1h', short: '5m' },
      { rate: 6, long: '6h', short: '30m' },
    ],
  },
  { alert: 'Slow', severity: 'ticket', pairs: [{ rate: 1, long: '3d', short: '6h' }] },
] as const;

const windows = ['5m', '30m', '1h', '6h', '3d'];

const recorded = ({ record }: ServiceLevel, window: string) => `yardarm:${record}:ratio${window}`;

/** The section of the README of a service that says what to do. */
export const runbookOf = (service: string) => `services/${service}/README.md#runbook`;

function recordings(level: ServiceLevel): Rule[] {
  const { record, isBroken } = level;
  return [
    ...(isBroken === undefined ? [] : [{ record: `yardarm:${record}:bool`, expr: isBroken }]),
    ...windows.map((window) => ({ record: recorded(level, window), expr: level.ratio(window) })),
  ];
}

function burnAlerts(level: ServiceLevel): Rule[] {
  return burnRates.map(({ alert, severity, pairs }) => {
    const conditions = pairs.map(({ rate, long, short }) => {
      // Rounded, since 1 - 0.999 has a remainder in binary.
      const threshold = Number((rate * (1 - objective)).toFixed(6));
      return `(${recorded(level, long)} > ${threshold} and ${recorded(level, short)} > ${threshold})`;
    });
    return {
      alert: `Yardarm${level.name}${alert}`,
      expr: conditions.join(' or '),
      labels: { severity, service: level.service },
      annotations: {
        summary: `${level.broken}: the promise of ${objective * 100} % in 30 days breaks ${alert === 'Fast' ? 'within days' : 'at this rate'}`,
        runbook: runbookOf(level.service),
      },
    };
  });
}

/** All rules. The interval of the promises is that of the default scrapes, so that a minute has samples. */
export function ruleGroups(): RuleGroup[] {
  return [
    { name: 'yardarm-promises', interval: '30s', rules: serviceLevels.flatMap(recordings) },
    { name: 'yardarm-burn-rates', rules: serviceLevels.flatMap(burnAlerts) },
    {
      name: 'yardarm-causes',
      rules: causes.map(({ alert, expr, for: pending, severity, service, summary, runbook }) => ({
        alert,
        expr,
        ...(pending && { for: pending }),
        // The expression of a cause that any service can have keeps the label of the service.
        labels: { severity, ...(service && { service }) },
        annotations: { summary, runbook: runbook ?? runbookOf(service!) },
      })),
    },
  ];
}
