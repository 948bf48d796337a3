import { z } from 'zod';

export const oneOrMany = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.union([item.transform((value) => [value]), z.array(item)]).optional();

/** Beyond it a filter is a mistake, and each listing compares every flag with every tag. */
export const maxTags = 100;

const tag = z
  .string()
  .max(101)
  .regex(/^[^:]+:./, 'should be a tag as type:value');
const tags = oneOrMany(tag).refine((list = []) => list.length <= maxTags, `should be at most ${maxTags} tags`);

/** The filters of flags in queries of SDKs and of administrators. */
export const featureFilters = {
  namePrefix: z.string().max(100).optional().describe('Only flags whose name begins with this'),
  tag: tags.describe('Only flags with one of these tags, each as type:value'),
};
