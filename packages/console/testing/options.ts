/** Where the tests of screens put their pictures; they make none without it. */
export const screenshotsFolder = process.env.YARDARM_SCREENSHOTS;
