import { isSame } from '../save/same.ts';

/** What of an address is typed letter by letter, and the saved view, which narrows nothing by itself. */
const typed = ['q', 'payload', 'from', 'to', 'view'];

/**
 * Leads to the address of a list that is narrowed otherwise. What is chosen is a step of the history, which Back
 * undoes. What is typed replaces the last step, else each letter would be one.
 */
export function narrowed<Search extends object>(before: object, search: Search): { search: Search; replace: boolean } {
  const chosen = (all: object) => Object.fromEntries(Object.entries(all).filter(([name]) => !typed.includes(name)));
  return { search, replace: isSame(chosen(before), chosen(search)) };
}
