// The process of one job: gets it from its parent, answers, and ends.
import { measureLatencies } from './latencies.ts';
import type { Job } from './load.ts';
import { measurePropagation } from './propagation.ts';
import { countAnswers, countPatches } from './throughput.ts';

function done(job: Job) {
  switch (job.kind) {
    case 'throughput':
      return countAnswers(job);
    case 'patches':
      return countPatches(job);
    case 'latencies':
      return measureLatencies(job);
    case 'propagation':
      return measurePropagation(job);
  }
}

process.once('message', async (job: Job) => {
  const answer = await done(job).then(
    (outcome) => ({ outcome }),
    (error: Error) => ({ error: error.message }),
  );
  process.send!(answer, () => process.exit());
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
