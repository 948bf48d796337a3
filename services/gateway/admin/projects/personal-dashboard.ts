import { projectOwnerSchema } from '@yardarm/shared/contracts/accounts';
import { listOwnFlags, onboardingStatusSchema, projectSummarySchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ownerSchema } from './project-access.ts';

const count = z.number().int().min(0);
const debt = { health: count, technicalDebt: count };
const ann = {
  ownerType: 'user',
  name: 'Ann Bonny',
  email: 'ann@example.com',
  imageUrl: 'https://gravatar.com/avatar/71d4',
};

export const dashboardSchema = z
  .object({
    projects: z.array(
      projectSummarySchema.pick({ id: true, name: true }).extend({ ...debt, memberCount: count, featureCount: count }),
    ),
    flags: listOwnFlags.output.shape.flags,
    projectOwners: z.array(projectOwnerSchema),
    admins: z.array(
      z.object({
        id: z.number().int(),
        name: z.string().optional(),
        username: z.string().optional(),
        email: z.string().optional(),
        imageUrl: z.string(),
      }),
    ),
  })
  .meta({
    examples: [
      {
        projects: [
          { ...{ id: 'shop', name: 'Shop', health: 80, technicalDebt: 20 }, memberCount: 3, featureCount: 10 },
        ],
        flags: [{ name: 'checkout', project: 'shop', type: 'release' }],
        projectOwners: [ann],
        admins: [{ id: 1, username: 'admin', imageUrl: 'https://gravatar.com/avatar/8c69' }],
      },
    ],
  });

export const projectDetailsSchema = z
  .object({
    latestEvents: z.array(
      z.object({
        id: z.number().int(),
        createdAt: z.iso.datetime(),
        createdBy: z.string(),
        createdByImageUrl: z.string(),
        summary: z.string(),
      }),
    ),
    onboardingStatus: onboardingStatusSchema,
    insights: z.object({
      avgHealthCurrentWindow: z.number().int().nullable(),
      avgHealthPastWindow: z.number().int().nullable(),
      ...debt,
      totalFlags: count,
      activeFlags: count,
      staleFlags: count,
      potentiallyStaleFlags: count,
    }),
    owners: z.array(ownerSchema),
    roles: z.array(z.object({ id: z.number().int(), name: z.string(), type: z.string() })),
  })
  .meta({
    examples: [
      {
        latestEvents: [
          {
            ...{ id: 842, createdAt: '2026-01-31T12:00:00.000Z', createdBy: 'ann' },
            ...{ createdByImageUrl: 'https://gravatar.com/avatar/71d4', summary: '**ann** created **checkout**' },
          },
        ],
        onboardingStatus: { status: 'onboarded' },
        insights: {
          ...{ avgHealthCurrentWindow: null, avgHealthPastWindow: null, health: 80, technicalDebt: 20 },
          ...{ totalFlags: 10, activeFlags: 8, staleFlags: 1, potentiallyStaleFlags: 1 },
        },
        owners: [ann],
        roles: [{ id: 4, name: 'Owner', type: 'project' }],
      },
    ],
  });
