import { type PlaygroundEvaluation, playgroundEvaluationSchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';

const { environment: _, context: __, variant, ...rest } = playgroundEvaluationSchema.shape;
const [example] = playgroundEvaluationSchema.meta()!.examples as [PlaygroundEvaluation];

/** A flag in the environment and for the context of the request. */
export const playgroundFeatureSchema = z
  .object({
    ...rest,
    variant: variant.extend({ featureEnabled: z.boolean().describe('The older name of `feature_enabled`') }),
  })
  .meta({ id: 'playgroundFeatureSchema', examples: [toPlaygroundFeature(example)] });

/** A flag in every environment of the request, in each for every context. */
export const advancedPlaygroundFeatureSchema = z
  .object({
    name: z.string(),
    projectId: z.string(),
    environments: z.record(z.string(), z.array(playgroundEvaluationSchema)),
  })
  .meta({
    id: 'advancedPlaygroundFeatureSchema',
    examples: [
      { name: example.name, projectId: example.projectId, environments: { [example.environment]: [example] } },
    ],
  });

type Pieces = AsyncIterable<PlaygroundEvaluation[]>;

/** The flags as text, with commas between them. */
export async function* playgroundFeatures(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const evaluations of pieces) {
    yield Buffer.from(evaluations.map((evaluation) => JSON.stringify(toPlaygroundFeature(evaluation))).join(','));
  }
}

/**
 * The flags as text, grouped. A piece ends after an evaluation and before the comma that follows it, so that a flag
 * with many evaluations is not held whole.
 */
export async function* advancedPlaygroundFeatures(pieces: Pieces): AsyncGenerator<Uint8Array> {
  let last: PlaygroundEvaluation | undefined;
  let text = '';
  for await (const evaluations of pieces) {
    let isFirst = true;
    for (const evaluation of evaluations) {
      const { name, projectId, environment } = evaluation;
      const isSameFlag = last?.name === name;
      const isSamePlace = isSameFlag && last?.environment === environment;
      if (last !== undefined) {
        if (!isSamePlace) text += isSameFlag ? ']' : ']}}';
        if (isFirst) yield Buffer.from(text);
        text = isFirst ? '' : `${text},`;
      }
      if (!isSameFlag) {
        text += `{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(projectId)},"environments":{`;
      }
      if (!isSamePlace) text += `${JSON.stringify(environment)}:[`;
      text += JSON.stringify(evaluation);
      last = evaluation;
      isFirst = false;
    }
  }
  if (last !== undefined) yield Buffer.from(`${text}]}}`);
}

function toPlaygroundFeature({ environment: _, context: __, variant, ...rest }: PlaygroundEvaluation) {
  return { ...rest, variant: { ...variant, featureEnabled: variant.feature_enabled } };
}
