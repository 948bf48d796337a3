// The process of one job: it receives the job from its parent, sends the outcome and exits.
import { countCreations, countFlagSwitches, countPatches } from './changes.ts';
import { countEvaluations } from './evaluations.ts';
import type { Job } from './jobs.ts';
import { measureLatencies } from './latencies.ts';
import { measurePropagation } from './propagation.ts';
import { countListings } from './sdks.ts';
import { measureStreams } from './streams.ts';
import { measureSwitches } from './switches.ts';
import { countAnswers } from './throughput.ts';

function run(job: Job) {
  switch (job.kind) {
    case 'throughput':
      return countAnswers(job);
    case 'patches':
      return countPatches(job);
    case 'creations':
      return countCreations(job);
    case 'flag-switches':
      return countFlagSwitches(job);
    case 'latencies':
      return measureLatencies(job);
    case 'switches':
      return measureSwitches(job);
    case 'propagation':
      return measurePropagation(job);
    case 'streams':
      return measureStreams(job);
    case 'sdks':
      return countListings(job);
    case 'evaluations':
      return countEvaluations(job);
  }
}

process.once('message', async (job: Job) => {
  const answer = await run(job).then(
    (outcome) => ({ outcome }),
    (error: Error) => ({ error: error.message }),
  );
  process.send!(answer, () => process.exit());
});
// The parent has ended.
process.on('disconnect', () => process.exit());
