import type { Bus } from '@yardarm/shared/bus';
import {
  addFeatureTag,
  createTag,
  createTagType,
  deleteTag,
  deleteTagType,
  getTag,
  getTagType,
  listFeatureTags,
  listTags,
  listTagTypes,
  removeFeatureTag,
  updateFeatureTags,
  updateTagsOfFeatures,
  updateTagType,
  validateTagType,
} from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { bulkBody } from './features/bulk-body.ts';

const path = '/api/admin/tags';
const typePath = '/api/admin/tag-types';
const featurePath = '/api/admin/features/:featureName/tags';

export function tagRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Tags' });
  const features = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.get(path, 'getTags', listTags, {
      answerName: 'tagsSchema',
      version: 1,
      query: listTags.input.pick({}),
      summary: 'All tags',
    }),
    admin.post(path, 'createTag', createTag, {
      answerName: 'tagWithVersionSchema',
      version: 1,
      creates: {
        description: 'The path of the new tag',
        location: ({ tag }, ownPath) => `${ownPath}/${encodeURIComponent(tag.type)}/${encodeURIComponent(tag.value)}`,
      },
    }),
    admin.get(`${path}/:type`, 'getTagsByType', listTags, {
      answerName: 'tagsSchema',
      version: 1,
      summary: 'All tags of a type',
    }),
    admin.get(`${path}/:type/:value`, 'getTag', getTag, { answerName: 'tagWithVersionSchema', version: 1 }),
    admin.delete(`${path}/:type/:value`, 'deleteTag', deleteTag),
    admin.get(typePath, 'getTagTypes', listTagTypes, { answerName: 'tagTypesSchema', version: 1 }),
    admin.post(typePath, 'createTagType', createTagType, {
      creates: {
        description: 'The path of the new tag type',
        location: ({ name }, ownPath) => `${ownPath}/${encodeURIComponent(name)}`,
      },
    }),
    admin.post(`${typePath}/validate`, 'validateTagType', validateTagType, {
      bodyName: 'newTagTypeSchema',
      answerName: 'validateTagTypeSchema',
    }),
    admin.get(`${typePath}/:name`, 'getTagType', getTagType, { version: 1 }),
    admin.put(`${typePath}/:name`, 'updateTagType', updateTagType),
    admin.delete(`${typePath}/:name`, 'deleteTagType', deleteTagType),
    features.get(featurePath, 'listTags', listFeatureTags, { answerName: 'featureTagsSchema', version: 1 }),
    features.post(featurePath, 'addTag', addFeatureTag, {
      creates: { description: 'The path of the flag’s tags', location: (_tag, ownPath) => ownPath },
    }),
    features.put(featurePath, 'updateTags', updateFeatureTags, { answerName: 'featureTagsSchema', version: 1 }),
    features.delete(`${featurePath}/:type/:value`, 'removeTag', removeFeatureTag),
    admin.put('/api/admin/projects/:projectId/tags', 'addTagToFeatures', updateTagsOfFeatures, {
      ...bulkBody,
      bodyName: 'tagsBulkAddSchema',
    }),
  ];
}
