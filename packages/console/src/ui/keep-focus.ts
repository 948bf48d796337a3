/**
 * Gives the focus to the page if the element that had it is gone. Otherwise a keyboard would start again at the top of
 * the navigation.
 */
export function keepFocus(): void {
  // React has removed the element by then, and a dialog has given the focus back to what opened it.
  requestAnimationFrame(() => {
    const { activeElement, body } = document;
    if (activeElement === body) document.getElementById('main')?.focus({ preventScroll: true });
  });
}
