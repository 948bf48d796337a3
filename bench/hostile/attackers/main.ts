// The process of an attack. It gets its plan from the parent and reports once a second.
import { holdConnections } from './connections.ts';
import type { Plan, Report } from './plan.ts';
import { sendRequests } from './requests.ts';
import { holdStreams } from './streams.ts';

const reportMs = 1_000;

const report: Report = { open: 0, counts: {} };

function begin(plan: Plan): void {
  if (plan.kind === 'connections') holdConnections(plan, report);
  else if (plan.kind === 'requests') sendRequests(plan, report);
  else holdStreams(plan, report);
}

process.once('message', (plan: Plan) => {
  begin(plan);
  setInterval(() => process.send!(report), reportMs);
});
// The parent has ended.
process.on('disconnect', () => process.exit());
