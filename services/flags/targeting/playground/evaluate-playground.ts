import { BudgetExceeded, type CompiledFlags, compileFlags, type Reasons, TimeBudget } from '@yardarm/evaluation';
import { encodeItems, type Frame, readAhead, type ServedContext } from '@yardarm/shared/bus';
import { evaluatePlayground as contract, type PlaygroundEvaluation } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { findMissingEnvironments } from '../../places/environments/environments.repo.ts';
import { findProjectIds } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { countFlags, findFlagsIn, findSegmentsById } from './playground.repo.ts';
import {
  answerTooLarge,
  contextsOf,
  countContexts,
  evaluationTooLarge,
  type Fields,
  type FlagInEnvironment,
  keptContexts,
  maxAnswerBytes,
  requireFewEvaluations,
  requireShortContexts,
  type StoredSegment,
  toEvaluation,
  tooLate,
  unknownPlace,
} from './playground.ts';

type Input = z.output<typeof contract.input>;

/** The gateway parses a frame at once, in about a millisecond. */
const frameLimits = { bytes: 64_000, items: 1000 };

/** A message has at most 1 MB, and the headers need little of it. */
const maxMessageBytes = 1_000_000;

/** Of CPU time, for all evaluations of a request. Without costly constraints as many as are allowed take a tenth. */
const maxEvaluationMs = 2_000;

/**
 * One of a caller, which rests, so that another caller waits for none of its requests with many contexts. More at once
 * would need more memory for flags, and share one CPU.
 */
const evaluationLimit = new ConcurrencyLimit(2, 'Other evaluations took all of the time.', { restsFromMs: 1_000 });

/**
 * Evaluates all before the first frame is sent, so that a request beyond the limits gets an ordinary answer. Two
 * requests at a time have their flags in memory; the frames of a slow caller are deflated.
 */
export function evaluatePlayground(
  resources: FlagsResources,
  input: Input,
  context: ServedContext,
): AsyncGenerator<Frame> {
  return readAhead(async (push) => {
    const frames = await evaluationLimit.run(context, () => evaluateAll(resources, input, context));
    for (const frame of frames) push(frame);
  }, context);
}

async function evaluateAll(
  { db, longReads }: FlagsResources,
  { environments, projects, fields }: Input,
  caller: ServedContext,
): Promise<Frame[]> {
  const budget = new TimeBudget(maxEvaluationMs);
  const contexts = countContexts(fields);
  const { flags, segments } = await longReads.run(caller, () =>
    readFlags(db, [...new Set(environments)], projects ?? null, fields),
  );
  const compiled = new Map<string, CompiledFlags>();
  for (const flag of flags) {
    let inEnvironment = compiled.get(flag.environment);
    if (!inEnvironment) {
      inEnvironment = compileFlags({ features: [], segments: [...segments.values()] });
      compiled.set(flag.environment, inEnvironment);
    }
    inEnvironment.setFlag(flag);
    await budget.next();
  }
  budget.renew();

  const now = Date.now();
  const kept = keptContexts(fields);
  const frames: Frame[] = [];
  let portion: PlaygroundEvaluation[] = [];
  let portionBytes = 0;
  let answerBytes = 0;
  const encode = () => {
    for (const frame of encodeItems(contract, portion, frameLimits)) {
      // An evaluation of this size is alone in its portion.
      if (frame.deflated.length > maxMessageBytes) throw evaluationTooLarge(portion[0]!);
      frames.push(frame);
    }
    portion = [];
    portionBytes = 0;
  };
  for (const flag of flags) {
    const inEnvironment = compiled.get(flag.environment)!;
    let bytes: number | undefined;
    for (const context of kept ?? contextsOf(fields)) {
      if (Date.now() >= caller.deadline) throw tooLate();
      const reasons = await reasonsOf(inEnvironment, flag, context, now, budget);
      const evaluation = toEvaluation(flag, context, reasons, segments);
      if (bytes === undefined) {
        // Evaluations of one flag differ only in their results.
        bytes = Buffer.byteLength(JSON.stringify(evaluation));
        answerBytes += bytes * contexts;
        if (answerBytes > maxAnswerBytes) throw answerTooLarge();
      }
      if (portionBytes + bytes > frameLimits.bytes) encode();
      portion.push(evaluation);
      portionBytes += bytes;
    }
  }
  encode();
  return frames;
}

/** Throws `bad-data` when constraints of the flag take longer than the budget. */
async function reasonsOf(
  compiled: CompiledFlags,
  { name }: FlagInEnvironment,
  context: Record<string, string>,
  now: number,
  budget: TimeBudget,
): Promise<Reasons> {
  try {
    return await budget.finish(() => compiled.evaluateWithReasons(name, context, now, budget)!);
  } catch (error) {
    if (error instanceof BudgetExceeded) throw new AppError('bad-data', error.messageFor(name));
    throw error;
  }
}

/** The flags of one moment, with the segments of their strategies. Throws when their evaluation would be too much. */
async function readFlags(
  db: FlagsResources['db'],
  environments: readonly string[],
  projects: readonly string[] | null,
  fields: Fields,
): Promise<{ flags: FlagInEnvironment[]; segments: Map<number, StoredSegment> }> {
  return await db.transaction(
    async (trx) => {
      const [missing] = await findMissingEnvironments(trx, environments);
      if (missing !== undefined) throw unknownPlace('environment', missing);
      const known = new Set(projects === null ? [] : await findProjectIds(trx));
      const unknown = projects?.find((id) => !known.has(id));
      if (unknown !== undefined) throw unknownPlace('project', unknown);
      const count = await countFlags(trx, projects);
      requireFewEvaluations(count, environments.length, countContexts(fields));
      requireShortContexts(count * environments.length, fields);
      const flags = await findFlagsIn(trx, environments, projects);
      const ids = new Set(flags.flatMap(({ strategies }) => strategies.flatMap(({ segments }) => segments)));
      const segments = await findSegmentsById(trx, [...ids]);
      return { flags, segments: new Map(segments.map((segment) => [segment.id, segment])) };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}
