import type { Bus } from '@yardarm/shared/bus';
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  listSegmentsOfStrategy,
  listStrategiesOfSegment,
  updateSegment,
  validateSegmentName,
} from '@yardarm/shared/contracts/flags';
import { longLists } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/segments';

export function segmentRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Segments', params: { id: { noun: 'segment' } } });
  return [
    admin.get(path, 'getSegments', listSegments, { answerName: 'segmentsSchema' }),
    admin.post(path, 'createSegment', createSegment, {
      ...longLists,
      bodyName: 'upsertSegmentSchema',
      creates: 'segment',
    }),
    admin.post(`${path}/validate`, 'validateSegment', validateSegmentName, { bodyName: 'nameSchema', status: 204 }),
    admin.get(`${path}/strategies/:strategyId`, 'getSegmentsByStrategyId', listSegmentsOfStrategy, {
      answerName: 'segmentsSchema',
    }),
    admin.get(`${path}/:id`, 'getSegment', getSegment),
    // It changes all flags that use the segment.
    admin.put(`${path}/:id`, 'updateSegment', updateSegment, {
      isLong: true,
      ...longLists,
      bodyName: 'upsertSegmentSchema',
      status: 204,
    }),
    admin.delete(`${path}/:id`, 'removeSegment', deleteSegment, { status: 204 }),
    admin.get(`${path}/:id/strategies`, 'getStrategiesBySegmentId', listStrategiesOfSegment, {
      answerName: 'segmentStrategiesSchema',
    }),
  ];
}
