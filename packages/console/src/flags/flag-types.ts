/** The types of flags that every system has. Their lifetimes can be set, and none can be added. */
export const flagTypes = ['release', 'experiment', 'operational', 'kill-switch', 'permission', 'sunset'];
