/** What a started program inherits: where programs are, and where npm has its cache. */
export const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
