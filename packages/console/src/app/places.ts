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
