// Many gateways and SDKs that stream, simulated: no machine of ours runs a hundred gateways. A change occupies flags
// until its commit. Each gateway then hears of it and fetches it, and flags serves one fetch after another. A gateway
// writes what it has fetched to its streams, on a core of its own.
//
// A gateway is
//   idle      it has every change             -> waiting, by a hint
//   waiting   its fetch is in flags' queue    -> fetching; all changes until then are in the answer
//   fetching  flags serves it                 -> writing
//   writing   it writes to its streams        -> idle, or waiting if it heard a hint since `fetching` began
//
// Invariant: every committed change is written by each gateway once, in the order of the commits.

/** Milliseconds of CPU time. */
export interface Costs {
  /** A change, for flags, its Postgres and NATS, without fetches. */
  change: number;
  /** A gateway's fetch of a change, for the same. */
  fetch: number;
  /** A change in a gateway, without streams. */
  apply: number;
  /** A change to one stream, in a gateway. */
  write: number;
}

export interface Scale {
  gateways: number;
  streamsPerGateway: number;
  changesPerSecond: number;
  seconds: number;
}

export interface Simulated {
  /** Milliseconds from each commit until a gateway has written it to a stream, at ten places of each gateway. */
  delays: number[];
  /** The part of the time that flags works, and the mean gateway. */
  flagsBusy: number;
  gatewayBusy: number;
}

/** Streams whose delay is noted in each gateway. */
const places = 10;

interface Task {
  ms: number;
  begin?(): void;
  end(): void;
}

/** Simulates Poisson arrivals of changes. `random` gives numbers from 0 to below 1. */
export function simulate(costs: Costs, scale: Scale, random: () => number): Simulated {
  const events: { at: number; run(): void }[] = [];
  const endsAt = scale.seconds * 1_000;
  let now = 0;
  const after = (ms: number, run: () => void) => {
    const at = now + ms;
    let place = events.length;
    while (place > 0 && events[place - 1]!.at > at) place -= 1;
    events.splice(place, 0, { at, run });
  };

  const queue: Task[] = [];
  let isServing = false;
  let [flagsMs, gatewayMs] = [0, 0];
  const serve = () => {
    const task = isServing ? undefined : queue.shift();
    if (!task) return;
    isServing = true;
    task.begin?.();
    flagsMs += task.ms;
    after(task.ms, () => {
      isServing = false;
      task.end();
      serve();
    });
  };
  const ask = (task: Task) => {
    queue.push(task);
    serve();
  };

  const commits: number[] = [];
  const delays: number[] = [];
  const gateways = Array.from({ length: scale.gateways }, () => ({ written: 0, isBusy: false, isStale: false }));
  const hear = (gateway: (typeof gateways)[number]) => {
    if (gateway.isBusy) {
      gateway.isStale = true;
      return;
    }
    gateway.isBusy = true;
    let fetched = 0;
    ask({
      ms: costs.fetch,
      begin() {
        fetched = commits.length;
        gateway.isStale = false;
      },
      end() {
        const [beganAt, streamsMs] = [now + costs.apply, costs.write * scale.streamsPerGateway];
        gatewayMs += costs.apply + streamsMs;
        after(costs.apply + streamsMs, () => {
          for (const committedAt of commits.slice(gateway.written, fetched)) {
            for (let n = 1; n <= places; n += 1) delays.push(beganAt + (streamsMs * n) / places - committedAt);
          }
          gateway.written = fetched;
          gateway.isBusy = false;
          if (gateway.isStale) hear(gateway);
        });
      },
    });
  };
  const arrive = () => {
    if (now > endsAt) return;
    ask({
      ms: costs.change,
      end() {
        commits.push(now);
        for (const gateway of gateways) hear(gateway);
      },
    });
    after((-Math.log(1 - random()) * 1_000) / scale.changesPerSecond, arrive);
  };
  arrive();
  for (let event = events.shift(); event; event = events.shift()) {
    now = event.at;
    event.run();
  }
  return { delays, flagsBusy: flagsMs / now, gatewayBusy: gatewayMs / scale.gateways / now };
}

/** A generator with a seed (mulberry32), so that a simulation gives the same figures again. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
