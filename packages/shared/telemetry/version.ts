/** The version of Yardarm. Equals that of the package. */
export const version = '0.1.0';
