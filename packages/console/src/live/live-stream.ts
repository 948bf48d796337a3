let isOpen = false;

/** Whether a tab of this browser gets events, which say what to read again. */
export const liveStream = {
  isOpen: () => isOpen,
  setOpen(open: boolean): void {
    isOpen = open;
  },
};
