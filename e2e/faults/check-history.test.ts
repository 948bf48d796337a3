// Tests the checker of histories: a correct history has no faults, and each kind of damage is found.
import { expect, test } from 'vitest';
import { violationsOf } from './check-history.ts';
import type { Arrival, History, LoggedEvent, Write } from './history.ts';

const created: LoggedEvent = {
  id: 1,
  type: 'feature-created',
  featureName: 'one',
  data: { name: 'one', description: 'new' },
  preData: null,
};

/** Four writes of one flag. The third was refused. The fourth has no answer, but was committed. */
function correctHistory(): History & { writes: Write[]; log: LoggedEvent[]; arrivals: Arrival[] } {
  const write = (number: number, stale: boolean, answer: Write['answer']): Write => {
    return { number, flag: 'one', description: `write ${number}`, stale, answer };
  };
  const writes = [
    write(1, true, 'acknowledged'),
    write(2, true, 'acknowledged'),
    write(3, false, 'refused'),
    write(4, false, 'unknown'),
  ];
  const changed = (id: number, from: string, to: string): LoggedEvent => {
    const [preData, data] = [{ description: from }, { description: to }];
    return { id, type: 'feature-metadata-updated', featureName: 'one', data, preData };
  };
  const toggled = (id: number, type: string): LoggedEvent => {
    return { id, type, featureName: 'one', data: null, preData: null };
  };
  const log = [
    created,
    changed(2, 'new', 'write 1'),
    toggled(3, 'feature-stale-on'),
    changed(4, 'write 1', 'write 2'),
    changed(5, 'write 2', 'write 4'),
    toggled(6, 'feature-stale-off'),
  ];
  const arrivals = log.slice(1).map((event) => ({ path: '/', webhookId: `w${event.id}`, event, status: 200 }));
  return {
    flags: ['one'],
    writes,
    committed: log.map((event) => ({ ...event })),
    log,
    arrivals,
    subscriptions: [
      {
        name: 'hook',
        types: new Set(log.map(({ type }) => type)),
        fromEventId: 1,
        arrivals,
        outcomes: log.slice(1).map((event) => ({ state: 'success', event })),
      },
    ],
  };
}

type CorrectHistory = ReturnType<typeof correctHistory>;

/** Removes an event from log, outbox and deliveries, as if it had never existed. */
function removeEvent(history: CorrectHistory, id: number): void {
  const isAnother = (event: { id: number | null }) => event.id !== id;
  history.log = history.log.filter(isAnother).map((event, index) => ({ ...event, id: index + 1 }));
  history.committed = history.log.map((event) => ({ ...event }));
  history.subscriptions = [];
}

test('a correct history has no fault', () => {
  expect(violationsOf(correctHistory())).toEqual([]);
});

test('an unknown write that was not committed is no fault', () => {
  const history = correctHistory();
  removeEvent(history, 6);
  removeEvent(history, 5);
  expect(violationsOf(history)).toEqual([]);
});

test('a retried delivery may arrive after newer ones', () => {
  const history = correctHistory();
  const [first] = history.arrivals;
  history.arrivals.push({ ...first! });
  first!.status = 503;
  expect(violationsOf(history)).toEqual([]);
});

const damages: [string, RegExp, (history: CorrectHistory) => void][] = [
  [
    'an event that is lost everywhere',
    /write 2 of one was acknowledged and is not in the log/,
    (h) => removeEvent(h, 4),
  ],
  ['half of a change', /write 4 is half in the log/, (h) => removeEvent(h, 6)],
  ['an id that was left out', /has the id 5 where 4 should be/, (h) => void h.log.splice(3, 1)],
  ['an event that only the outbox has', /a committed .* is not in the log/, (h) => void h.log.pop()],
  [
    'an event that only the log has',
    /event 7 of the log was not committed/,
    (h) => void h.log.push({ ...h.log[5]!, id: 7 }),
  ],
  [
    'two changes of the log in the wrong order',
    /of one follows/,
    (h) => {
      const [second, fourth] = [h.log[1]!, h.log[3]!];
      h.log[1] = { ...fourth, id: 2 };
      h.log[3] = { ...second, id: 4 };
    },
  ],
  [
    'an event whose content is not what was committed',
    /event 4 is not what was committed/,
    (h) => {
      h.log[3]!.data = { description: 'write 2', more: true };
    },
  ],
  [
    'a refused write that was committed',
    /write 4 was refused and is in the log/,
    (h) => {
      h.writes[3]!.answer = 'refused';
    },
  ],
  [
    'a write that was committed twice',
    /write 1 is in the log twice/,
    (h) => {
      h.log[3]!.data = { description: 'write 1' };
    },
  ],
  ['a write that was not requested', /belongs to no write/, (h) => void h.writes.shift()],
  ['a delivery that never arrived', /hook: event 4 was never accepted/, (h) => void h.arrivals.splice(2, 1)],
  [
    'a delivery that was only refused',
    /event 2 was never accepted/,
    (h) => {
      h.arrivals[0]!.status = 503;
    },
  ],
  ['two deliveries in the wrong order', /event 2 of one arrived after 6/, (h) => void h.arrivals.reverse()],
  [
    'a repetition under another id',
    /event 2 arrived with w2 and w7/,
    (h) => void h.arrivals.push({ ...h.arrivals[0]!, webhookId: 'w7' }),
  ],
  [
    'one id for two events',
    /is missing, or is another/,
    (h) => {
      h.arrivals[1]!.webhookId = 'w2';
    },
  ],
  [
    'a delivery of an event that the log does not have',
    /event 9 arrived, but not as in the log/,
    (h) => void h.arrivals.push({ path: '/', webhookId: 'w9', event: { ...h.log[1]!, id: 9 }, status: 200 }),
  ],
  [
    'a delivery from before the integration began',
    /event 1 arrived, but not as in the log, or not for this integration/,
    (h) => void h.arrivals.unshift({ path: '/', webhookId: 'w1', event: h.log[0]!, status: 200 }),
  ],
  ['an outcome that is missing', /event 2 has no outcome/, (h) => dropOutcome(h)],
  ['an outcome that exists twice', /event 2 has two outcomes/, (h) => repeatOutcome(h)],
  [
    'an outcome that is not a success',
    /the outcome of event 2 is failed/,
    (h) => {
      h.subscriptions[0]!.outcomes[0]!.state = 'failed';
    },
  ],
  [
    'an outcome that shows another event',
    /the outcome of event 2 shows another event/,
    (h) => {
      h.subscriptions[0]!.outcomes[0]!.event = { ...h.log[1]!, data: null };
    },
  ],
];

function dropOutcome(history: CorrectHistory): void {
  history.subscriptions = history.subscriptions.map((hook) => ({ ...hook, outcomes: hook.outcomes.slice(1) }));
}

function repeatOutcome(history: CorrectHistory): void {
  history.subscriptions = history.subscriptions.map((hook) => {
    return { ...hook, outcomes: [...hook.outcomes, hook.outcomes[0]!] };
  });
}

test.each(damages)('finds %s', (_what, violation, damage) => {
  const history = correctHistory();
  damage(history);
  expect(violationsOf(history).join('\n')).toMatch(violation);
});
