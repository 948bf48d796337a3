import { expectedOf, type History } from './history.ts';

export function countsOf({ writes, committed, log, subscriptions }: History): string {
  const countAnswers = (answer: string) => writes.filter((write) => write.answer === answer).length;
  const logged = new Set(log.map(({ data }) => data?.description));
  const unknown = writes.filter((write) => write.answer === 'unknown');
  const rows: [string, number][] = [
    ['requested writes', writes.length],
    ['  acknowledged', countAnswers('acknowledged')],
    ['  refused', countAnswers('refused')],
    ['  unknown', unknown.length],
    ['    of them logged', unknown.filter(({ description }) => logged.has(description)).length],
    ['committed events (outboxes)', committed.length],
    ['events in the log', log.length],
    ...subscriptions.flatMap((subscription): [string, number][] => {
      const { name, arrivals, outcomes } = subscription;
      return [
        [`${name} expected events`, expectedOf(subscription, log).length],
        [`${name} outcomes`, outcomes.length],
        [`${name} requests at the receiver`, arrivals.length],
        [`${name}   of them refused`, arrivals.filter(({ status }) => status >= 300).length],
        [`${name}   of them repetitions`, arrivals.length - new Set(arrivals.map(({ event }) => event.id)).size],
      ];
    }),
  ];
  return tableOf(rows);
}

export function tableOf(rows: readonly [string, number | string][]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${String(value).padStart(6)}`).join('\n');
}
