import { z } from 'zod';
import { request } from '../contract.ts';
import { feedbackResponseSchema } from './feedback.ts';
import { displayNameSchema, passwordSchema, timestamp } from './fields.ts';
import { roleSchema } from './role.ts';

const userNameExample = {
  id: 12,
  name: 'Ann Bonny',
  username: 'ann',
  email: 'ann@example.com',
  imageUrl:
    'https://gravatar.com/avatar/71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476?s=42&d=retro&r=g',
  accountType: 'User',
};
export const userExample = {
  ...userNameExample,
  inviteLink: '',
  loginAttempts: 0,
  emailSent: false,
  rootRole: 2,
  seenAt: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  scimId: null,
  seatType: null,
  companyRole: null,
  productUpdatesEmailConsent: null,
};
export const rootRoleExample = {
  id: 2,
  type: 'root',
  name: 'Editor',
  description: 'May do most things in every project, but not manage users, service accounts and roles.',
  project: null,
};

/**
 * A user of the public API. Fields for mail, licences and single sign-on carry constants. A missing name, username or
 * e-mail is absent, never null, as in the public product.
 */
export const userSchema = z
  .object({
    id: z.number().int(),
    name: z.string().optional(),
    username: z.string().optional(),
    email: z.string().optional(),
    imageUrl: z.string(),
    inviteLink: z.string(),
    loginAttempts: z.number().int(),
    emailSent: z.boolean(),
    rootRole: z.number().int(),
    seenAt: timestamp.nullable(),
    createdAt: timestamp,
    accountType: z.enum(['User', 'Service Account']),
    /** Null: no user is managed by SCIM. */
    scimId: z.string().nullable().default(null),
    /** Null: there are no licences. */
    seatType: z.string().nullable().default(null),
    /** Null: nobody is asked. */
    companyRole: z.string().nullable().default(null),
    productUpdatesEmailConsent: z.boolean().nullable().default(null),
  })
  .meta({ id: 'userSchema', examples: [userExample] });

export type User = z.infer<typeof userSchema>;

/** The signed-in user. `mustChangePassword` is present only when true, since the public product does not have it. */
export const signedInUserSchema = userSchema
  .extend({
    /** The user must set a new password before anything else. */
    mustChangePassword: z.literal(true).optional(),
  })
  .meta({ id: 'signedInUserSchema', examples: [userExample] });

export type SignedInUser = z.infer<typeof signedInUserSchema>;

/** The id of a root role, as a number or as text, or its name in any case. */
const rootRoleReference = z.union([z.number().int(), z.string().max(100)], {
  error: 'should be the id or the name of a root role',
});
const emailAddress = z
  .string()
  .trim()
  .max(255, 'should have at most 255 characters')
  .check(z.email('should be an e-mail address'));

export const listUsers = request({
  name: 'accounts.user.list',
  writes: false,
  summary: 'Every user, and the root roles',
  input: z.object({}),
  output: z
    .object({ users: z.array(userSchema), rootRoles: z.array(roleSchema) })
    .meta({ examples: [{ users: [userExample], rootRoles: [rootRoleExample] }] }),
  permission: 'ADMIN',
});

/** The fields of a user that every user may read. */
export const userNameSchema = userSchema
  .pick({ id: true, name: true, username: true, email: true, imageUrl: true, accountType: true })
  .meta({ examples: [userNameExample] });

export const maxFoundUsers = 100;

export const searchUsers = request({
  name: 'accounts.user.search',
  writes: false,
  summary: `The first ${maxFoundUsers} users whose name, username or e-mail contains the text of at least 2 characters`,
  input: z.object({ query: z.string().max(255, 'should have at most 255 characters') }),
  output: z.object({
    users: z
      .array(userNameSchema)
      .max(maxFoundUsers)
      .meta({ examples: [[userNameExample]] }),
  }),
  permission: 'authenticated',
});

export const listAssignable = request({
  name: 'accounts.user.list-assignable',
  writes: false,
  summary: 'Every user, service account and group by name, for a form that grants access',
  input: z.object({}),
  output: z
    .object({
      users: z.array(userNameSchema.extend({ rootRole: z.number().int() })),
      groups: z.array(
        z.object({
          id: z.number().int(),
          name: z.string(),
          description: z.string().nullable(),
          rootRole: z.number().int().nullable(),
          userCount: z.number().int(),
        }),
      ),
    })
    .meta({
      examples: [
        {
          users: [{ ...userNameExample, rootRole: 2 }],
          groups: [{ id: 3, name: 'Release crew', description: null, rootRole: null, userCount: 4 }],
        },
      ],
    }),
  permission: 'authenticated',
});

export const getUser = request({
  name: 'accounts.user.get',
  writes: false,
  summary: 'One user',
  input: z.object({ userId: z.number().int() }),
  output: userSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const countAdmins = request({
  name: 'accounts.user.count-admins',
  writes: false,
  summary: 'How many admins can log in with a password, how many cannot, and how many service accounts are admins',
  input: z.object({}),
  output: z
    .object({ password: z.number().int(), noPassword: z.number().int(), service: z.number().int() })
    .meta({ examples: [{ password: 2, noPassword: 0, service: 1 }] }),
  permission: 'ADMIN',
});

export const listAdmins = request({
  name: 'accounts.user.list-admins',
  writes: false,
  summary: 'The people with the root role Admin, whom others can ask for access',
  input: z.object({}),
  output: z.object({ admins: z.array(userNameSchema) }),
  permission: 'authenticated',
});

export const createUser = request({
  name: 'accounts.user.create',
  writes: true,
  summary: 'Makes a user; without a password the answer carries the token of an invite link',
  input: z
    .strictObject({
      username: displayNameSchema.optional(),
      email: emailAddress.optional(),
      name: displayNameSchema.optional(),
      password: passwordSchema.optional(),
      rootRole: rootRoleReference,
      sendEmail: z.boolean().optional(),
    })
    .meta({ examples: [{ username: 'ann', email: 'ann@example.com', name: 'Ann Bonny', rootRole: 2 }] }),
  /** `inviteToken` is the one-time token of the invite link; null when the user has a password. */
  output: z.object({ user: userSchema, inviteToken: z.string().nullable() }),
  errors: ['bad-data', 'weak-password'],
  permission: 'ADMIN',
});

export const updateUser = request({
  name: 'accounts.user.update',
  writes: true,
  summary: 'Changes name, e-mail or root role of a user; absent fields stay',
  input: z
    .object({
      userId: z.number().int(),
      email: emailAddress.optional(),
      name: displayNameSchema.optional(),
      rootRole: rootRoleReference.optional(),
    })
    .meta({ examples: [{ userId: 12, name: 'Ann Cormac', email: 'ann@example.com', rootRole: 3 }] }),
  output: userSchema,
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});

export const deleteUser = request({
  name: 'accounts.user.delete',
  writes: true,
  summary: 'Deletes a user with all tokens, sessions, memberships and roles; refuses the caller and the last admin',
  input: z.object({ userId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});

export const getMe = request({
  name: 'accounts.user.me',
  writes: false,
  summary: 'The user who calls, the splashes that they have seen, and their feedback',
  input: z.object({}),
  output: signedInUserSchema.extend({
    /** Each is true. FOR ONE RELEASE with a default: accounts of an earlier commit answers without them. */
    splash: z.record(z.string(), z.literal(true)).default({}),
    /** FOR ONE RELEASE with a default, as `splash`. */
    feedback: z.array(feedbackResponseSchema).default([]),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const getProfile = request({
  name: 'accounts.user.profile',
  writes: false,
  summary: "The caller's root role, groups and projects in which they have a role, and whether they have a password",
  input: z.object({}),
  output: z.object({
    rootRole: roleSchema,
    /** The projects in which the caller has a role; null means every project. */
    projects: z.array(z.string()).nullable(),
    groups: z.array(z.object({ id: z.number().int(), name: z.string(), description: z.string().nullable() })),
    canChangePassword: z.boolean(),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listOwnRoles = request({
  name: 'accounts.user.list-own-roles',
  writes: false,
  summary: "The caller's root role and, with a project, their roles there, including those of their groups",
  input: z.object({ projectId: z.string().optional() }),
  output: z.object({ roles: z.array(roleSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});
