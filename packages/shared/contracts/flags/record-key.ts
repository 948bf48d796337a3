/** For `refine`, of a name that is a key of records: zod leaves the key `__proto__` out of them. */
export const recordKey: [check: (name: string) => boolean, message: string] = [
  (name) => name !== '__proto__',
  'should not be __proto__, which cannot be the key of a record',
];
