/** The pages that the navigation and the search lead to. */
export const placeGroups = [
  {
    label: 'Flags',
    places: [
      { to: '/', label: 'Home' },
      { to: '/features', label: 'Flags' },
      { to: '/projects', label: 'Projects' },
      { to: '/staleness', label: 'Staleness' },
      { to: '/segments', label: 'Segments' },
      { to: '/playground', label: 'Playground' },
    ],
  },
  {
    label: 'Around',
    places: [
      { to: '/integrations', label: 'Integrations' },
      { to: '/signals', label: 'Signals' },
      { to: '/events', label: 'Event log' },
      { to: '/admin', label: 'Admin' },
    ],
  },
  {
    label: 'Configure',
    places: [
      { to: '/environments', label: 'Environments' },
      { to: '/context-fields', label: 'Context fields' },
      { to: '/tag-types', label: 'Tag types' },
      { to: '/feature-types', label: 'Flag types' },
    ],
  },
] as const;

/** The tabs of the administration. A page with `readers` needs one of these permissions. */
export const adminPlaces = [
  { to: '/admin/api', label: 'API tokens', readers: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
  { to: '/admin/users', label: 'Users', readers: ['ADMIN'] },
  { to: '/admin/service-accounts', label: 'Service accounts', readers: ['ADMIN'] },
  { to: '/admin/groups', label: 'Groups', readers: [] },
  { to: '/admin/roles', label: 'Roles', readers: ['READ_ROLE'] },
  { to: '/admin/access', label: 'Access', readers: ['ADMIN'] },
  { to: '/admin/settings', label: 'Settings', readers: [] },
  { to: '/admin/banners', label: 'Banners', readers: [] },
  { to: '/admin/status', label: 'Status', readers: ['ADMIN'] },
] as const;

export type AdminPath = (typeof adminPlaces)[number]['to'];

/** What the menu of the user leads to. */
export const ownPlaces = [
  { to: '/welcome', label: 'Connect an SDK' },
  { to: '/profile/personal-api-tokens', label: 'Personal tokens' },
  { to: '/profile/change-password', label: 'Your password' },
] as const;
